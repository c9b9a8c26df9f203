// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of a trace's records.
#include "base/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <hocket/error.hpp>

namespace hocket::detail {
namespace {

constexpr unsigned most_names = 8191;

int make_file(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file >= 0) return file;
  throw error(errc::invalid_option, "the trace cannot be written to " + path + ": " + std::strerror(errno) +
                                        "; name a file in a folder that exists (HOCKET_TRACE, --hk-trace)");
}

bool write_all(int file, const void* from, std::size_t bytes) {
  const char* p = static_cast<const char*>(from);
  while (bytes != 0) {
    const ssize_t n = write(file, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

trace_recorder::trace_recorder(std::string path, unsigned workers)
    : path_(std::move(path)), first_ticks_(ticks()), first_ns_(now_ns()), workers_(workers), names_{"task"} {
  output_ = make_file(path_, O_WRONLY);
  const std::string records = path_ + ".records";
  try {
    records_ = make_file(records, O_RDWR);
  } catch (...) {
    ::close(output_);
    throw;
  }
  unlink(records.c_str());  // it goes with the process, whatever becomes of that
  tracks_ = std::make_unique<track_state[]>(workers + 1);
}

trace_recorder::~trace_recorder() {
  ::close(records_);
  ::close(output_);
}

void trace_recorder::write_chunk(unsigned track) {
  track_state& t = tracks_[track];
  const std::lock_guard lock(file_mutex_);
  const std::size_t bytes = t.count * sizeof(trace_record);
  if (!failed_ && !write_all(records_, t.records, bytes)) {
    failed_ = true;
    std::fprintf(stderr, "hocket: the trace %s ends here, for its records cannot be written: %s\n",
                 path_.c_str(), std::strerror(errno));
  }
  if (!failed_) {
    chunks_.push_back({track, static_cast<std::uint32_t>(t.count), written_});
    written_ += bytes;
  }
  t.count = 0;
}

void trace_recorder::close() {
  for (unsigned i = 0; i <= workers_; ++i) {
    if (tracks_[i].count != 0) write_chunk(i);
  }
}

bool trace_recorder::read(const chunk& c, trace_record* to) const {
  const std::size_t bytes = c.records * sizeof(trace_record);
  char* p = reinterpret_cast<char*>(to);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pread(records_, p + done, bytes - done, static_cast<off_t>(c.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

unsigned trace_recorder::name_number(unsigned track, const char* name) {
  auto& known = tracks_[track].known[reinterpret_cast<std::uintptr_t>(name) / 8 % 64];
  const bool own = track != other_threads();
  if (own && known.at == name && *known.text == name) return known.number;
  const std::lock_guard lock(names_mutex_);
  auto found = numbers_of_names_.find(std::string_view(name));
  if (found == numbers_of_names_.end()) {
    if (names_.size() > most_names) return 0;
    found = numbers_of_names_.emplace(name, static_cast<unsigned>(names_.size())).first;
    names_.emplace_back(name);
  }
  if (own) known = {name, &found->first, found->second};
  return found->second;
}

}  // namespace hocket::detail
