// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that a program needs.
#pragma once
#include <hocket/blocking.hpp>
#include <hocket/error.hpp>
#include <hocket/event.hpp>
#include <hocket/fork_join.hpp>
#include <hocket/mutex.hpp>
#include <hocket/options.hpp>
#include <hocket/run.hpp>
#include <hocket/shepherds.hpp>
#include <hocket/stats.hpp>
#include <hocket/stop.hpp>
#include <hocket/task.hpp>
#include <hocket/this_task.hpp>
#include <hocket/topology.hpp>
#include <hocket/version.hpp>
