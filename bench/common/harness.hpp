// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every benchmark executable shares: its arguments, the rows it prints, its clock and its checks.
// No library is needed, so that a peer's executable holds that peer's runtime and nothing else.
#pragma once

#include <chrono>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hkbench {

using param_list = std::vector<std::pair<std::string, std::string>>;

/// The measured program gave a wrong result: exit code 1.
struct check_failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command line asks for something that is not offered: exit code 2.
struct bad_usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// request is what one invocation asks for. Parameters are read by name; what was read, defaults included,
/// becomes the `params` of every row, and what nobody read is a mistake that check_all_read() reports.
class request {
 public:
  request(std::string variant, int argc, char** argv);

  const std::string& bench() const { return bench_; }
  unsigned threads() const { return threads_; }
  unsigned samples() const { return samples_; }

  /// choice() is a parameter that takes one of a few words; the first of them is its default.
  std::string choice(const std::string& key, std::initializer_list<const char*> words);
  /// number() is an integer parameter within [low, high].
  long number(const std::string& key, long fallback, long low, long high);
  /// check_all_read() throws bad_usage if a parameter was given that this benchmark does not have.
  void check_all_read() const;

  /// row() prints one measured value as one JSON object on a line of its own.
  void row(const char* metric, const char* unit, double value, const param_list& more = {}) const;

 private:
  const std::string* given(const std::string& key);

  std::string variant_;
  std::string bench_;
  unsigned threads_ = 1;
  unsigned samples_ = 1;
  param_list given_;
  param_list effective_;
};

struct bench_entry {
  const char* name;
  void (*run)(request&);
};

/// run_main() is the main() of an executable that offers these benchmarks under the name of `variant`.
int run_main(const char* variant, std::span<const bench_entry> entries, int argc, char** argv);

/// asks_for() tells before anything else runs whether `key=value` is among the parameters.
bool asks_for(int argc, char** argv, const std::string& key_value);

/// check_equal() throws check_failed unless the result is the expected one.
void check_equal(const std::string& what, long long got, long long expected);
/// check_at_least() throws check_failed if the count is below the bound.
void check_at_least(const std::string& what, long long got, long long bound);

inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class F>
double seconds_of(F&& f) {
  const double start = now_s();
  f();
  return now_s() - start;
}

/// sample() runs the body once to warm up, then once per sample, and prints nanoseconds per operation.
/// The body returns the seconds it took, so that it can keep its own checks out of the time.
template <class F>
void sample(const request& rq, const char* metric, double operations, F&& body) {
  body();
  for (unsigned i = 0; i < rq.samples(); ++i) rq.row(metric, "ns", body() * 1e9 / operations);
}

}  // namespace hkbench
