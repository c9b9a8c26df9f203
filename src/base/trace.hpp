// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace records while tasks run: 16 bytes an event, gathered by each worker on its own and written to
// a file some thousands at a time, so that a long run takes no more memory than a short one. What it means is
// the scheduler's (sched/tracing.hpp), which makes JSON of it at the end (sched/trace_json.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/spin_lock.hpp"

namespace hocket::detail {

enum class trace_kind : std::uint8_t {
  made,      // a task was made here; its number
  realised,  // a waiter gave a virtual task a stack of its own; its number
  begins,    // a task begins in the real task that runs here; its number, detail: trace_detail()
  ends,      // the task that began last in the real task that runs here
  enters,    // the worker goes over to a real task; its number, 0: to none
  suspends,  // the real task that runs here is about to; its number, detail: wait_kind
  ready,     // a real task is made ready by what runs here; its number
  steals,    // a forked child was taken; detail is unused, the number is that of its parent's real task
  sleeps,    // the worker
  wakes,
};

/// Numbers have 48 bits, details 16.
struct trace_record {
  std::uint64_t when;  // ticks() since the trace began, times 256, and the kind
  std::uint64_t what;  // the number times 65,536, and the detail

  std::uint64_t ticks() const { return when >> 8; }
  trace_kind kind() const { return static_cast<trace_kind>(when & 0xff); }
  std::uint64_t number() const { return what >> 16; }
  unsigned detail() const { return static_cast<unsigned>(what & 0xffff); }
};

/// A track a worker, and one more for all other threads. A track is written by its worker alone; the last one
/// by anybody.
class trace_recorder {
 public:
  /// So many records are gathered before they are written.
  static constexpr std::size_t chunk_records = 4096;

  /// Makes the file at `path`, which is to hold the JSON, and one beside it for the records. Throws
  /// error(invalid_option) if either cannot be made.
  trace_recorder(std::string path, unsigned workers);
  ~trace_recorder();
  trace_recorder(const trace_recorder&) = delete;
  trace_recorder& operator=(const trace_recorder&) = delete;

  unsigned workers() const { return workers_; }
  unsigned other_threads() const { return workers_; }

  HOCKET_ALWAYS_INLINE void record(unsigned track, trace_kind kind, std::uint64_t number = 0,
                                   unsigned detail = 0) {
    if (HOCKET_UNLIKELY(track == other_threads())) {
      const std::lock_guard lock(others_lock_);
      put(track, kind, number, detail);
    } else {
      put(track, kind, number, detail);
    }
  }
  /// A number that no other call returns, above 0.
  std::uint64_t fresh_number(unsigned track) {
    if (HOCKET_LIKELY(track != other_threads())) return ++tracks_[track].numbers * (workers_ + 1) + track;
    const std::lock_guard lock(others_lock_);
    return ++tracks_[track].numbers * (workers_ + 1) + track;
  }
  /// A number for a name, the same for the same text, below 8,192; 0 stands for what came too late for one.
  unsigned name_number(unsigned track, const char* name);

  // --- at the end, when nobody records any more
  /// Writes what is left.
  void close();
  /// A chunk as it lies in the file of records.
  struct chunk {
    unsigned track;
    std::uint32_t records;
    std::uint64_t offset;
  };
  const std::vector<chunk>& chunks() const { return chunks_; }
  /// Reads a chunk; false if the file cannot be read.
  bool read(const chunk&, trace_record* to) const;
  const std::vector<std::string>& names() const { return names_; }  // by number
  const std::string& path() const { return path_; }
  int output() const { return output_; }
  std::uint64_t first_ticks() const { return first_ticks_; }
  std::int64_t first_ns() const { return first_ns_; }

 private:
  struct alignas(128) track_state {
    std::size_t count = 0;
    std::uint64_t numbers = 0;
    struct known_name {
      const char* at = nullptr;
      const std::string* text = nullptr;
      unsigned number = 0;
    } known[64];  // by address; the text is compared, for the memory may hold another by now
    trace_record records[chunk_records];
  };
  HOCKET_ALWAYS_INLINE void put(unsigned track, trace_kind kind, std::uint64_t number, unsigned detail) {
    track_state& t = tracks_[track];
    t.records[t.count] = {(ticks() - first_ticks_) << 8 | static_cast<std::uint64_t>(kind),
                          number << 16 | detail};
    if (HOCKET_UNLIKELY(++t.count == chunk_records)) write_chunk(track);
  }
  void write_chunk(unsigned track);

  std::string path_;
  int output_ = -1, records_ = -1;  // file descriptors
  std::uint64_t first_ticks_;
  std::int64_t first_ns_;
  unsigned workers_;
  std::unique_ptr<track_state[]> tracks_;
  spin_lock others_lock_;
  std::mutex file_mutex_;  // guards what follows
  std::vector<chunk> chunks_;
  std::uint64_t written_ = 0;
  bool failed_ = false;
  std::mutex names_mutex_;                                         // guards the names
  std::map<std::string, unsigned, std::less<>> numbers_of_names_;  // its keys stay where they are
  std::vector<std::string> names_;
};

}  // namespace hocket::detail
