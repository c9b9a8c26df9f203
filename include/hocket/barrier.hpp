// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A point that so many reach before any goes on, phase after phase.
// Examples: examples/barrier.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <hocket/detail/atomic.hpp>
#include <hocket/detail/deadline.hpp>
#include <hocket/detail/wait_list.hpp>

namespace hocket {
namespace detail {

/// What a barrier is apart from its completion.
class barrier_core {
 public:
  explicit barrier_core(std::ptrdiff_t expected);
  ~barrier_core();
  barrier_core(const barrier_core&) = delete;
  barrier_core& operator=(const barrier_core&) = delete;

  static constexpr std::ptrdiff_t max() { return (std::ptrdiff_t{1} << 30) - 1; }
  static std::uint32_t phase_in(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

  /// Counts n arrivals; the word that was. Throws if fewer were expected.
  std::uint64_t arrive(std::ptrdiff_t n) {
    if (HOCKET_UNLIKELY(n <= 0 || n > max())) refuse_count();
    const std::uint64_t was = word_.fetch_sub(times(n), std::memory_order_acq_rel);
    if (HOCKET_UNLIKELY(left_in(was) < n)) refuse_arrival(n);
    return was;
  }
  static bool was_last(std::uint64_t was, std::ptrdiff_t n) { return left_in(was) == n; }
  /// The whole phase in one step, if nobody else takes part; else false.
  bool pass_alone(std::ptrdiff_t n, std::uint32_t& phase) {
    if (HOCKET_LIKELY(expected_.load(std::memory_order_relaxed) != n) || n == 0) return false;
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    if (left_in(seen) != n || (seen & waiting) != 0) return false;
    phase = phase_in(seen);
    return word_.compare_exchange_strong(seen, fresh(n, phase + 1), std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }
  void begin_next_phase();
  void drop_one();
  bool is_over(std::uint32_t phase) const { return phase_in(word_.load(std::memory_order_acquire)) != phase; }
  bool wait_slowly(std::uint32_t phase, deadline);

 private:
  static constexpr std::uint64_t waiting = std::uint64_t{1} << 32;
  static constexpr unsigned left_shift = 33;
  static constexpr std::uint64_t times(std::ptrdiff_t n) {
    return static_cast<std::uint64_t>(n) << left_shift;
  }
  static constexpr std::ptrdiff_t left_in(std::uint64_t word) {
    return static_cast<std::int64_t>(word) >> left_shift;
  }
  static constexpr std::uint64_t fresh(std::ptrdiff_t n, std::uint32_t phase) { return times(n) | phase; }
  [[noreturn]] static void refuse_count();
  [[noreturn]] void refuse_arrival(std::ptrdiff_t n);

  // Arrivals in a phase. Relaxed: lowered before the arrival of who drops out, read after the last one's.
  // Apart from the word: all who arrive read it.
  atomic<std::ptrdiff_t> expected_;
  // The number of the phase, `waiting` while somebody may be in the list, and above it the arrivals that are
  // left. Arrivals: acq_rel; the next phase: release; who waits: acquire. `waiting` is set under the lock.
  alignas(64) atomic<std::uint64_t> word_;
  wait_list list_;
};

struct no_completion {
  void operator()() const noexcept {}
};

}  // namespace detail

/// barrier lets nobody pass before `expected` have arrived; then the last one calls the completion, all go
/// on, and the next phase has begun; std::barrier's operations. Tasks and threads alike, inside a run and
/// outside. It must outlive those who wait; the last one that has passed may destroy it, though the last one
/// to arrive is still on its way out. To destroy it while somebody waits ends the program with a sentence.
///
/// More arrivals in a phase than are expected, or a count that cannot be, throw error(misuse). The completion
/// is noexcept and may wait; if it is to do so in a task that is asked to stop, it needs a stop_shield.
template <class Completion = detail::no_completion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<Completion&>,
                "a barrier's completion must be noexcept: the others could not be let go after an exception");

 public:
  /// An arrival, to be waited for.
  class arrival_token {
   private:
    friend class barrier;
    explicit arrival_token(std::uint32_t phase) : phase_(phase) {}
    std::uint32_t phase_;
  };

  explicit barrier(std::ptrdiff_t expected, Completion completion = Completion())
      : completion_(std::move(completion)), core_(expected) {}

  /// arrive() counts n arrivals, of which the last of the phase calls the completion and lets all go. Never
  /// blocks, if the completion does not. Cost: one locked instruction, and one more for the last one, unless
  /// it is the only one.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t n = 1) { return arrival_token(arrive_in(n)); }
  /// wait() returns when the phase of the token is over. What was written before all its arrivals, and in the
  /// completion, is visible. Throws cancelled if the task is asked to stop while it waits; the arrival
  /// stands.
  void wait(const arrival_token& t) {
    if (!core_.is_over(t.phase_)) core_.wait_slowly(t.phase_, detail::never);
  }
  /// wait_for(), wait_until(): as wait(), but at most so long; true if the phase is over. If it is not, the
  /// arrival stands, and the token may be waited for again. A time that has passed makes them a look.
  template <class Rep, class Period>
  bool wait_for(const arrival_token& t, const std::chrono::duration<Rep, Period>& d) {
    return core_.is_over(t.phase_) || core_.wait_slowly(t.phase_, detail::deadline_after(d));
  }
  template <class Clock, class Duration>
  bool wait_until(const arrival_token& t, const std::chrono::time_point<Clock, Duration>& at) {
    return core_.is_over(t.phase_) || core_.wait_slowly(t.phase_, detail::deadline_at(at));
  }
  void arrive_and_wait() { wait(arrive()); }
  /// arrive_and_drop() arrives, and is not expected any more in the phases that follow.
  void arrive_and_drop() {
    core_.drop_one();
    arrive_in(1);
  }

  /// max() is the most arrivals of a phase.
  static constexpr std::ptrdiff_t max() noexcept { return detail::barrier_core::max(); }

 private:
  std::uint32_t arrive_in(std::ptrdiff_t n) {
    if constexpr (std::is_same_v<Completion, detail::no_completion>) {
      std::uint32_t phase;
      if (core_.pass_alone(n, phase)) return phase;
    }
    const std::uint64_t was = core_.arrive(n);
    if (core_.was_last(was, n)) {
      completion_();
      core_.begin_next_phase();
    }
    return core_.phase_in(was);
  }

  [[no_unique_address]] Completion completion_;
  detail::barrier_core core_;
};

}  // namespace hocket
