# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hocket_warnings(target): the warnings every target of ours is built with, never passed on to users.

function(hocket_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wshadow>
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
    $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<BOOL:${HOCKET_WERROR}>>:-Werror>)
endfunction()
