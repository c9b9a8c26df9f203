// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments, rows and exit codes of the benchmark executables.
#include "harness.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

namespace hkbench {
namespace {

std::optional<long> as_integer(const std::string& text) {
  long value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

unsigned count_argument(const std::string& option, const std::string& text) {
  const auto value = as_integer(text);
  if (!value || *value < 1 || *value > 65536) {
    throw bad_usage(option + " takes a number from 1 to 65536, not '" + text + "'");
  }
  return static_cast<unsigned>(*value);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

void print_usage(const char* variant, std::span<const bench_entry> entries, std::FILE* out) {
  std::fprintf(out, "usage: hkbench-%s NAME [--threads T] [--samples N] [--param KEY=VALUE]...\n", variant);
  std::fprintf(out, "Prints one JSON object per sample and metric. NAME is one of:");
  for (const auto& entry : entries) std::fprintf(out, " %s", entry.name);
  std::fprintf(out, "\nExit codes: 0 measured, 1 a result was wrong, 2 bad usage.\n");
}

}  // namespace

request::request(std::string variant, int argc, char** argv) : variant_(std::move(variant)) {
  if (argc > 1) bench_ = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (i + 1 >= argc) throw bad_usage("option " + option + " needs a value");
    const std::string value = argv[++i];
    if (option == "--threads") {
      threads_ = count_argument(option, value);
    } else if (option == "--samples") {
      samples_ = count_argument(option, value);
    } else if (option == "--param") {
      const auto equals = value.find('=');
      if (equals == std::string::npos) throw bad_usage("--param takes KEY=VALUE, not '" + value + "'");
      given_.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else {
      throw bad_usage("unknown option " + option + "; there are --threads, --samples and --param");
    }
  }
  effective_.emplace_back("threads", std::to_string(threads_));
}

const std::string* request::given(const std::string& key) {
  for (const auto& [name, value] : given_) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string request::choice(const std::string& key, std::initializer_list<const char*> words) {
  const std::string* text = given(key);
  const std::string value = text ? *text : *words.begin();
  if (std::none_of(words.begin(), words.end(), [&](const char* word) { return value == word; })) {
    std::string message = "parameter " + key + " of " + bench_ + " cannot be '" + value + "'; it can be";
    for (const char* word : words) message += std::string(" ") + word;
    throw bad_usage(message);
  }
  effective_.emplace_back(key, value);
  return value;
}

long request::number(const std::string& key, long fallback, long low, long high) {
  const std::string* text = given(key);
  const auto value = text ? as_integer(*text) : std::optional<long>(fallback);
  if (!value || *value < low || *value > high) {
    throw bad_usage("parameter " + key + " of " + bench_ + " takes a number from " + std::to_string(low) +
                    " to " + std::to_string(high) + ", not '" + *text + "'");
  }
  effective_.emplace_back(key, std::to_string(*value));
  return *value;
}

void request::check_all_read() const {
  for (const auto& [key, value] : given_) {
    const auto is_key = [&](const auto& read) { return read.first == key; };
    if (std::none_of(effective_.begin(), effective_.end(), is_key)) {
      throw bad_usage("benchmark " + bench_ + " of " + variant_ + " has no parameter " + key);
    }
  }
}

void request::row(const char* metric, const char* unit, double value, const param_list& more) const {
  check_all_read();
  param_list params = effective_;
  params.insert(params.end(), more.begin(), more.end());
  std::string text = "{\"bench\":" + quoted(bench_) + ",\"variant\":" + quoted(variant_) + ",\"params\":{";
  for (const auto& [key, word] : params) {
    if (text.back() != '{') text += ',';
    text += quoted(key) + ':' + (as_integer(word) ? word : quoted(word));
  }
  std::printf("%s},\"metric\":%s,\"unit\":%s,\"value\":%.6g}\n", text.c_str(), quoted(metric).c_str(),
              quoted(unit).c_str(), value);
  std::fflush(stdout);
}

int run_main(const char* variant, std::span<const bench_entry> entries, int argc, char** argv) {
  if (argc < 2) {
    print_usage(variant, entries, stderr);
    return 2;
  }
  if (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0) {
    print_usage(variant, entries, stdout);
    return 0;
  }
  try {
    request rq(variant, argc, argv);
    for (const auto& entry : entries) {
      if (rq.bench() == entry.name) {
        entry.run(rq);
        return 0;
      }
    }
    throw bad_usage("there is no benchmark '" + rq.bench() + "' here; see --help");
  } catch (const bad_usage& problem) {
    std::fprintf(stderr, "hkbench-%s: %s\n", variant, problem.what());
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "hkbench-%s: %s: %s\n", variant, argv[1], problem.what());
    return 1;
  }
}

bool asks_for(int argc, char** argv, const std::string& key_value) {
  return std::any_of(argv + 1, argv + argc, [&](const char* argument) { return key_value == argument; });
}

void check_equal(const std::string& what, long long got, long long expected) {
  if (got == expected) return;
  throw check_failed(what + " is " + std::to_string(got) + ", but should be " + std::to_string(expected));
}

void check_at_least(const std::string& what, long long got, long long bound) {
  if (got >= bound) return;
  throw check_failed(what + " is " + std::to_string(got) + ", but should be at least " +
                     std::to_string(bound));
}

}  // namespace hkbench
