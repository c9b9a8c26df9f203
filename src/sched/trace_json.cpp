// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges the workers' records by time, and follows which slices are open in which real task: they end when it
// leaves a worker, and begin anew where it goes on.
#include "sched/trace_json.hpp"

#include <errno.h>
#include <unistd.h>

#define FMT_HEADER_ONLY 1  // who links with the library needs no libfmt
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <queue>
#include <unordered_map>
#include <utility>

#include <hocket/version.hpp>

#include "sched/tracing.hpp"

namespace hocket::detail {
namespace {

/// The text between the quotes of a JSON string. What is not ASCII is passed on as it is: UTF-8, if the
/// program's names are.
std::string escaped(std::string_view text) {
  std::string s;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      s += '\\';
      s += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      s += fmt::format("\\u{:04x}", c);
    } else {
      s += c;
    }
  }
  return s;
}

const char* text_of(begun_as how) {
  static const char* const texts[] = {"main", "start", "realise", "idle", "next", "inline", "child"};
  return texts[static_cast<unsigned>(how)];
}

/// The records of one track, in order; one chunk in memory.
class reader {
 public:
  reader(const trace_recorder& t, unsigned track) : trace_(t), track_(track) {}
  /// Goes to the next record; false at the end.
  bool advance() {
    if (++at_ < size_) return true;
    const auto& all = trace_.chunks();
    while (next_chunk_ < all.size() && all[next_chunk_].track != track_) ++next_chunk_;
    if (next_chunk_ == all.size()) return false;
    if (buffer_ == nullptr) buffer_ = std::make_unique<trace_record[]>(trace_recorder::chunk_records);
    at_ = 0;
    size_ = all[next_chunk_].records;
    if (trace_.read(all[next_chunk_++], buffer_.get())) return true;
    failed_ = true;
    return false;
  }
  const trace_record& operator*() const { return buffer_[at_]; }
  bool failed() const { return failed_; }

 private:
  const trace_recorder& trace_;
  unsigned track_;
  std::size_t next_chunk_ = 0, at_ = 0, size_ = 0;
  std::unique_ptr<trace_record[]> buffer_;
  bool failed_ = false;
};

struct slice {
  std::uint64_t task;
  unsigned name;
};

/// A real task, from when it comes to be until it is over.
struct real_state {
  std::vector<slice> open;  // outermost first
  unsigned track = 0;       // where it runs
  bool runs = false;
  std::uint64_t woken_by = 0;  // the flow of its last wake-up
};

struct track_state {
  std::uint64_t real = 0;
  std::uint64_t stolen_from = 0;
  bool asleep = false;
};

class json_writer {
 public:
  explicit json_writer(const trace_recorder& t) : trace_(t), tracks_(t.workers() + 1) {
    const auto ticks_gone = static_cast<double>(ticks() - t.first_ticks());
    us_per_tick_ = ticks_gone > 0 ? 1e-3 * static_cast<double>(now_ns() - t.first_ns()) / ticks_gone : 0;
    for (const std::string& n : t.names()) names_.push_back(escaped(n));
    head();
  }
  void write(unsigned track, const trace_record& r);
  void end();
  const std::string& problem() const { return problem_; }

 private:
  void head();
  template <class... T>
  void line(fmt::format_string<T...> text, T&&... values) {
    out_.append(std::string_view(first_ ? "\n" : ",\n"));
    first_ = false;
    fmt::format_to(std::back_inserter(out_), text, std::forward<T>(values)...);
    if (out_.size() > 256 * 1024) flush();
  }
  void flush();
  void instant(unsigned track, const char* name, const std::string& arguments) {
    line(R"({{"ph":"i","s":"t","pid":1,"tid":{},"ts":{:.3f},"cat":"task","name":"{}","args":{{{}}}}})", track,
         now_, name, arguments);
  }
  void open(unsigned track, std::uint64_t real, const slice& s, const char* how) {
    line(
        R"({{"ph":"B","pid":1,"tid":{},"ts":{:.3f},"cat":"task","name":"{}","args":{{"task":{},"real":{},"how":"{}"}}}})",
        track, now_, names_[s.name], s.task, real, how);
  }
  void close(unsigned track) { line(R"({{"ph":"E","pid":1,"tid":{},"ts":{:.3f}}})", track, now_); }
  void begins(unsigned track, const trace_record&);
  void enters(unsigned track, std::uint64_t real);
  void leave(unsigned track);
  void ready(unsigned track, std::uint64_t real);
  const slice* innermost(unsigned track) const {
    const auto r = reals_.find(tracks_[track].real);
    return r == reals_.end() || r->second.open.empty() ? nullptr : &r->second.open.back();
  }

  const trace_recorder& trace_;
  double us_per_tick_ = 0;
  double now_ = 0;  // microseconds; of all tracks, so that it never goes back
  std::vector<track_state> tracks_;
  std::unordered_map<std::uint64_t, real_state> reals_;
  std::vector<std::string> names_;
  std::uint64_t flows_ = 0;
  bool first_ = true;
  fmt::memory_buffer out_;
  std::string problem_;
};

void json_writer::flush() {
  const char* p = out_.data();
  for (std::size_t left = out_.size(); left != 0 && problem_.empty();) {
    const ssize_t n = ::write(trace_.output(), p, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      problem_ = std::strerror(errno);
      break;
    }
    p += n;
    left -= static_cast<std::size_t>(n);
  }
  out_.clear();
}

void json_writer::head() {
  const std::string program = escaped(program_invocation_short_name);
  fmt::format_to(
      std::back_inserter(out_),
      R"({{"displayTimeUnit":"ns","otherData":{{"program":"{}","version":"{}","workers":{}}},"traceEvents":[)",
      program, version(), trace_.workers());
  line(R"({{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{{"name":"{}"}}}})", program);
  for (unsigned i = 0; i <= trace_.workers(); ++i) {
    line(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", i,
         i < trace_.workers() ? fmt::format("worker {}", i) : "other threads");
  }
}

void json_writer::begins(unsigned track, const trace_record& r) {
  const auto how = static_cast<begun_as>(r.detail() >> 13);
  const slice s{r.number(), r.detail() & 8191};
  track_state& t = tracks_[track];
  if (how == begun_as::in_line) instant(track, "inline", fmt::format(R"("task":{})", s.task));
  if (how == begun_as::child)
    instant(track, "steal", fmt::format(R"("task":{},"from":{})", s.task, t.stolen_from));
  real_state& real = reals_[t.real];
  real.runs = true;
  real.track = track;
  real.open.push_back(s);
  open(track, t.real, s, text_of(how));
  if (how != begun_as::child && s.task != 0) {
    line(R"({{"ph":"f","bp":"e","pid":1,"tid":{},"ts":{:.3f},"cat":"made","name":"made","id":{}}})", track,
         now_, s.task);
  }
}

/// The real task that runs there goes elsewhere, or is over.
void json_writer::leave(unsigned track) {
  const auto r = reals_.find(tracks_[track].real);
  tracks_[track].real = 0;
  if (r == reals_.end()) return;
  for (std::size_t i = 0; i < r->second.open.size(); ++i) close(track);
  r->second.runs = false;
  if (r->second.open.empty()) reals_.erase(r);
}

void json_writer::enters(unsigned track, std::uint64_t number) {
  if (tracks_[track].real == number) return;
  leave(track);
  if (number == 0) return;
  real_state& real = reals_[number];
  // Clocks of two processors may differ by some nanoseconds: it has left there.
  if (real.runs) {
    const std::vector<slice> kept = real.open;
    leave(real.track);
    reals_[number].open = kept;
  }
  real_state& here = reals_[number];
  tracks_[track].real = number;
  here.runs = true;
  here.track = track;
  for (const slice& s : here.open) open(track, number, s, "again");
  if (here.woken_by != 0 && !here.open.empty()) {
    line(R"({{"ph":"f","bp":"e","pid":1,"tid":{},"ts":{:.3f},"cat":"wake","name":"wake","id":{}}})", track,
         now_, here.woken_by);
  }
  here.woken_by = 0;
}

void json_writer::ready(unsigned track, std::uint64_t number) {
  instant(track, "wake", fmt::format(R"("real":{})", number));
  if (innermost(track) == nullptr) return;  // a flow begins in a slice
  const auto r = reals_.find(number);
  if (r == reals_.end() || r->second.open.empty()) return;
  r->second.woken_by = ++flows_;
  line(R"({{"ph":"s","pid":1,"tid":{},"ts":{:.3f},"cat":"wake","name":"wake","id":{}}})", track, now_,
       flows_);
}

void json_writer::write(unsigned track, const trace_record& r) {
  now_ = std::max(now_, static_cast<double>(r.ticks()) * us_per_tick_);
  track_state& t = tracks_[track];
  switch (r.kind()) {
    case trace_kind::made: {
      const slice* by = innermost(track);
      line(
          R"({{"ph":"s","pid":1,"tid":{},"ts":{:.3f},"cat":"made","name":"made","id":{},"args":{{"by":{}}}}})",
          track, now_, r.number(), by == nullptr ? 0 : by->task);
      break;
    }
    case trace_kind::realised:
      instant(track, "realise", fmt::format(R"("task":{})", r.number()));
      break;
    case trace_kind::begins:
      begins(track, r);
      break;
    case trace_kind::ends:
      if (innermost(track) != nullptr) {
        reals_[t.real].open.pop_back();
        close(track);
      }
      break;
    case trace_kind::enters:
      enters(track, r.number());
      break;
    case trace_kind::suspends:
      instant(track, "block",
              fmt::format(R"("real":{},"on":"{}")", r.number(), text_of(static_cast<wait_kind>(r.detail()))));
      break;
    case trace_kind::ready:
      ready(track, r.number());
      break;
    case trace_kind::steals:
      t.stolen_from = r.number();
      break;
    case trace_kind::sleeps:
      t.asleep = true;
      line(R"({{"ph":"B","pid":1,"tid":{},"ts":{:.3f},"cat":"worker","name":"asleep"}})", track, now_);
      break;
    case trace_kind::wakes:
      if (t.asleep) close(track);
      t.asleep = false;
      break;
  }
}

void json_writer::end() {
  for (unsigned i = 0; i < tracks_.size(); ++i) {
    leave(i);
    if (tracks_[i].asleep) close(i);
  }
  out_.append(std::string_view("\n]}\n"));
  flush();
}

}  // namespace

std::string write_trace_json(const trace_recorder& t) {
  json_writer out(t);
  std::vector<reader> readers;
  for (unsigned i = 0; i <= t.workers(); ++i) readers.emplace_back(t, i);
  using next = std::pair<std::uint64_t, unsigned>;  // time, track
  std::priority_queue<next, std::vector<next>, std::greater<>> order;
  const auto put = [&](unsigned track) {
    if (readers[track].advance()) order.push({(*readers[track]).ticks(), track});
  };
  for (unsigned i = 0; i < readers.size(); ++i) put(i);
  while (!order.empty() && out.problem().empty()) {
    const unsigned track = order.top().second;
    order.pop();
    out.write(track, *readers[track]);
    put(track);
  }
  out.end();
  if (!out.problem().empty()) return out.problem();
  const bool failed = std::any_of(readers.begin(), readers.end(), [](const reader& r) { return r.failed(); });
  return failed ? "its records could not be read back" : "";
}

}  // namespace hocket::detail
