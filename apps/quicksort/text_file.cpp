// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing for quicksort: text_file.hpp.
#include "quicksort/text_file.hpp"

#include "common/chunks.hpp"
#include "common/program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace hocket::apps {

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void cannot_read(const std::string& path, int error) {
  throw input_error(fmt::format("cannot read {}: {}", path, reason(error)));
}

// An open file descriptor that is closed at the end of its scope.
class open_file {
 public:
  explicit open_file(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) cannot_read(path, errno);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() { ::close(file_); }
  int get() const { return file_; }

 private:
  int file_;
};

void check_size(const std::string& path, std::size_t size) {
  if (size > largest_text)
    throw input_error(
        fmt::format("{} is larger than {} bytes, which is all that quicksort can index", path, largest_text));
}

// read_range() reads [begin, end) of a regular file to the same place of `to`.
void read_range(const std::string& path, int file, char* to, std::size_t begin, std::size_t end) {
  while (begin < end) {
    const ssize_t got = ::pread(file, to + begin, end - begin, static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(path, errno);
    if (got == 0) throw input_error(fmt::format("{} became shorter while it was read: run again", path));
    begin += static_cast<std::size_t>(got);
  }
}

text_buffer read_stream(const std::string& path, int file) {
  page_buffer memory(std::size_t{1} << 20);
  std::size_t size = 0;
  for (;;) {
    if (memory.size() - size <= line_text::padding) {
      check_size(path, size);
      page_buffer larger(2 * memory.size());
      std::memcpy(larger.data(), memory.data(), size);
      memory = std::move(larger);
    }
    const ssize_t got = ::read(file, memory.data() + size, memory.size() - size - line_text::padding);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(path, errno);
    if (got == 0) return {std::move(memory), size};
    size += static_cast<std::size_t>(got);
  }
}

}  // namespace

page_buffer::page_buffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data_ == MAP_FAILED) {
    data_ = nullptr;
    throw std::bad_alloc();
  }
  ::madvise(data_, bytes, MADV_HUGEPAGE);  // a hint: random reads of lines then miss the TLB far less
}

page_buffer::~page_buffer() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

text_buffer read_text(const std::string& path, bool show_progress) {
  constexpr std::size_t bytes_at_once = std::size_t{1} << 21;
  const open_file file(path);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) cannot_read(path, errno);
  // Files of /proc are regular and say 0.
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return read_stream(path, file.get());
  const auto size = static_cast<std::size_t>(status.st_size);
  check_size(path, size);
  page_buffer memory(size + line_text::padding);
  progress_bar bar(show_progress, "read", size);
  for_chunks(0, size, bytes_at_once, [&](std::size_t begin, std::size_t end) {
    read_range(path, file.get(), memory.data(), begin, end);
    bar.add(end - begin);
  });
  bar.finish();
  return {std::move(memory), size};
}

output_file::output_file(const std::string& path) : path_(path), target_(path) {
  const std::unique_ptr<char, decltype(&std::free)> followed(::realpath(path.c_str(), nullptr), &std::free);
  if (followed) target_ = followed.get();
  struct stat status{};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  if (exists && !S_ISREG(status.st_mode)) {
    direct_ = true;
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  open_beside();
  if (exists) [[maybe_unused]]
    const int kept = ::fchmod(file_, status.st_mode & 07777);  // else the usual mode
}

// A nameless file cannot remain, whatever happens; not every file system has them.
void output_file::open_beside() {
  file_ = ::open(folder().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file_ >= 0) return;
  name_temporary([this](const char* name) {
    file_ = ::open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    return file_ >= 0;
  });
}

std::string output_file::folder() const {
  const std::size_t slash = target_.rfind('/');
  return slash == std::string::npos ? "./" : target_.substr(0, slash + 1);
}

// name_temporary() finds a name in the folder that nobody has and that `create` can give to our file.
template <class Create>
void output_file::name_temporary(Create create) {
  for (int i = 0;; ++i) {
    const std::string name = fmt::format("{}.quicksort.{}.{}", folder(), ::getpid(), i);
    if (create(name.c_str())) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) fail(errno);
  }
}

output_file::~output_file() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void output_file::fail(int error) const {
  throw input_error(fmt::format("cannot write {}: {}", path_, reason(error)));
}

void output_file::write(std::size_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = direct_ ? ::write(file_, bytes.data(), bytes.size())
                                : ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(errno);
    offset += static_cast<std::size_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void output_file::commit() {
  if (direct_) {
    if (::close(std::exchange(file_, -1)) != 0) fail(errno);
    return;
  }
  if (temporary_.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", file_);
    name_temporary([&self](const char* name) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
  }
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace hocket::apps
