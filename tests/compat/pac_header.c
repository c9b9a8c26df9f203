/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Only compiled, as C of each standard and as C++, with all warnings as errors: the header alone, and every
   name of it used. */
#include <hocket/compat/pac.h>

static pacWord none(void) { return 0; }
static pacWord two(pacWord a, pacWord b) { return a + b; }
static pacWord eight(pacWord a, pacWord b, pacWord c, pacWord d, pacWord e, pacWord f, pacWord g, pacWord h) {
  return a + b + c + d + e + f + g + h;
}

static pacWord use(pacWord v) {
  const pacTask list[2] = {pacStart(none), pacVirtual(two, v, &v)};
  const pacTask third = pacVirtual(eight, 1, 2, 3, 4, 5, 6, 7, 8);
  const pacWord words[2] = {1, 2};
  const pacTask fourth = pacStartWords((pacFunction)two, 2, words);
  pacTask from;
  pacWord value = pacWait(&from, third) + pacWait(0, list[0], list[1], fourth) + pacWaitAny(&from, 2, list);
  if (pacWaitFor(1000, &value, &from, list[1]) != 0 || pacWaitAnyFor(0, 0, 0, 2, list) != 0) return value;
  pacRelease(pacKeep(from));
  return pacDone(from);
}

int pac_header(int argc, char** argv);
int pac_header(int argc, char** argv) {
  if (pacInitialize(0, 0) == 0) pacFinalize();
#ifdef TOO_MANY_ARGUMENTS
  pacStart(two, 1, 2, 3);
#endif
#ifdef TOO_FEW_ARGUMENTS
  pacVirtual(two, 1);
#endif
  return (int)pacRun(&argc, argv, use, 1);
}
