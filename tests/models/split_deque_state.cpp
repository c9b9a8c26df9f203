// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States of the split deque's model: promises, the end, canonical names, and one line of text.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "split_deque.h"

namespace models {

split_deque::state split_deque::initial() const {
  state s;
  s.shared.memory[lim] = always;
  for (int k = active_thieves_; k < thieves; ++k) s.thief[k].pc = at::stopped;
  return s;
}

const char* split_deque::name(int who) const {
  static const char* const names[] = {"owner", "thief 1", "thief 2", "runner"};
  return names[who];
}

const char* split_deque::violation(const state& s) const {
  static const char* const text[] = {
      nullptr,
      "a child is started twice",
      "a slot is run that holds no forked child",
      "a thief reads a closure that was not written for this fork",
      "a join returns before its child ended",
      "the owner runs a child inline that it no longer owns",
      "the deque is not empty at the end",
  };
  for (const thief_state& t : s.thief)
    if (t.pc == at::steal_read && s.shared.pending(0, data0 + t.seen))
      return "data race: a thief reads a closure while the owner's store to it is under way";
  return text[s.broken];
}

bool split_deque::finished(const state& s) const {
  return s.owner.pc == at::stopped && s.shared.empty() &&
         std::all_of(std::begin(s.thief), std::end(s.thief),
                     [](const auto& t) { return t.pc == at::stopped; });
}

bool split_deque::holds_ts(const owner_state& o) const {
  switch (o.pc) {
    case at::slow_lim:
    case at::slow_cas:
    case at::join_state:
    case at::give_claim:
    case at::reset_ts:
    case at::renew_head:
    case at::renew_lim:
    case at::renew_ts:
      return true;
    default:
      return false;
  }
}

bool split_deque::holds_ts(const thief_state& t) const {
  switch (t.pc) {
    case at::steal_cas:
    case at::expose_cas:
      return true;
    case at::steal_read:
      return how_.read_before_cas;
    case at::expose_lim:
      return !how_.ts_after_lim && !how_.ts_after_head;
    case at::expose_barrier:
    case at::expose_head:
      return !how_.ts_after_head;
    default:
      return false;
  }
}

// Two renamings.  The thieves run the same program, so their order does not matter.  Epochs are compared for
// equality and incremented by one, so only their order and their gaps up to two matter; this keeps the number
// of states finite although the owner's program may be endless.
void split_deque::canonical(state& s) const {
  if (symmetric_) {
    auto& count = s.shared.count;  // the thieves' buffers hold nothing but lim = ALWAYS
    if (count[1] > count[2] || (count[1] == count[2] && s.thief[1] < s.thief[0])) {
      std::swap(s.thief[0], s.thief[1]);
      std::swap(count[1], count[2]);
      std::swap(s.shared.buffer[1], s.shared.buffer[2]);
    }
  }
  if (how_.epoch_bits) return;
  std::uint8_t* holders[threads + 1 + owner_capacity];
  int count = 0;
  holders[count++] = &s.shared.memory[ts];
  for (int k = 0; k < s.shared.count[0]; ++k)
    if (s.shared.variable(0, k) == ts) holders[count++] = &s.shared.buffer[0][k].value;
  if (holds_ts(s.owner)) holders[count++] = &s.owner.v;
  for (thief_state& t : s.thief) {
    if (holds_ts(t))
      holders[count++] = &t.v;
    else
      t.v = 0;
  }
  bool used[16] = {};
  int renamed[16] = {};
  for (int k = 0; k < count; ++k) used[*holders[k] >> 4] = true;
  for (int e = 0, next = 0, last = -1; e < 16; ++e) {
    if (!used[e]) continue;
    if (last >= 0) next += std::min(e - last, 2);
    last = e;
    renamed[e] = next;
  }
  for (int k = 0; k < count; ++k)
    *holders[k] = static_cast<std::uint8_t>((*holders[k] & 15) | renamed[*holders[k] >> 4] << 4);
}

std::string split_deque::print(const state& s) const {
  static const char* const names[] = {"data[0]",  "data[1]", "data[2]", "state[0]", "state[1]",
                                      "state[2]", "head",    "lim",     "ts",       "passes"};
  const auto value = [](int variable, std::uint8_t v) -> std::string {
    if (variable == lim && v == always) return "ALWAYS";
    if (variable != ts) return std::to_string(v);
    const word w = word::of(v);
    return "{" + std::to_string(w.tail) + "," + std::to_string(w.split) + ",e" + std::to_string(w.epoch) +
           "}";
  };
  std::string text;
  for (int variable : {ts, head, lim})
    text += std::string(variable == ts ? "" : " ") + names[variable] + "=" +
            value(variable, s.shared.memory[variable]);
  for (int t = 0; t < threads; ++t)
    for (int k = 0; k < s.shared.count[t]; ++k) {
      text += k > 0 ? ", " : t > 0 ? " | thief's buffer: " : " | owner's buffer: ";
      text += std::string(names[s.shared.variable(t, k)]) + "=" +
              value(s.shared.variable(t, k), s.shared.buffer[t][k].value);
    }
  return text;
}

}  // namespace models
