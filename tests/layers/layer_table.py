# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The layers, bottom to top, and which one each public header and each folder belongs to.

# Layers in one tuple stand side by side: neither may include the other.
LAYERS = [
    ("base",),
    ("context",),
    ("sched",),
    ("sync",),
    ("loops",),
    ("net",),
    ("talk", "global"),
    ("compat",),
    ("umbrella",),  # hocket/hocket.hpp: for programs only
    ("programs",),
]

# Folders outside src/ (whose subfolders are named after their layers); tests may include everything.
FOLDERS = {
    "transports": "net",
    "compat": "compat",
    "apps": "programs",
    "bench": "programs",
    "tools": "programs",
}

# include/hocket/NAME.hpp, and include/hocket/compat/NAME.h
PUBLIC = {
    "hocket": "umbrella",
    "version": "base", "error": "base", "options": "base", "topology": "base", "stats": "base",
    "task": "sched", "run": "sched", "fork_join": "sched", "this_task": "sched",
    "shepherds": "sched", "stop": "sched", "blocking": "sched",
    "counter": "sync", "event": "sync", "future": "sync", "progress_thread": "sync", "full_empty": "sync", "sync": "sync", "mutex": "sync",
    "channel": "sync", "task_local": "sync",
    "barrier": "sync", "condition_variable": "sync", "latch": "sync", "semaphore": "sync",
    "shared_mutex": "sync",
    "pac": "compat",
}

# include/hocket/detail/NAME.hpp
DETAIL = {
    "config": "base", "atomic": "base", "deadline": "base", "place": "base",
    "wait_list": "sync", "channel_core": "sync", "local_value": "sched", "full_empty": "sync",
    "layout": "context", "bench_hooks": "context",
    "descriptor": "sched", "segment": "sched",
}
