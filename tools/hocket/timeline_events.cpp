// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a trace file with a parser that keeps nothing: see timeline_events.hpp.
#include "timeline_events.hpp"

#include <errno.h>
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <vector>

namespace hocket::tool {
namespace {

using nlohmann::json;

enum class field : std::uint8_t {
  none,
  phase,
  name,
  category,
  us,
  track,
  flow,
  task,
  real,
  how,
  by,
  from,
  on,
  program,
  version,
  workers
};

struct known_key {
  std::string_view key;
  field meaning;
};
constexpr known_key event_keys[] = {{"ph", field::phase}, {"name", field::name}, {"cat", field::category},
                                    {"ts", field::us},    {"tid", field::track}, {"id", field::flow}};
constexpr known_key argument_keys[] = {{"task", field::task}, {"real", field::real}, {"how", field::how},
                                       {"by", field::by},     {"from", field::from}, {"on", field::on}};
constexpr known_key header_keys[] = {
    {"program", field::program}, {"version", field::version}, {"workers", field::workers}};

template <std::size_t N>
field meaning_of(std::string_view key, const known_key (&table)[N]) {
  for (const known_key& known : table) {
    if (known.key == key) return known.meaning;
  }
  return field::none;
}

/// handler follows where in the file the parser is: depth 1 is the object, 2 the list of events, 3 an event,
/// 4 its arguments.
class handler : public nlohmann::json_sax<json> {
 public:
  handler(const std::string& path, const std::istream& file,
          const std::function<void(const trace_event&)>& each)
      : path_(path), file_(file), each_(each) {}

  bool null() override { return other_value(); }
  bool boolean(bool) override { return other_value(); }
  bool binary(binary_t&) override { return other_value(); }
  bool number_integer(number_integer_t value) override {
    if (value >= 0) return number_unsigned(static_cast<number_unsigned_t>(value));
    check_place();
    if (number_wanted()) fail("has a negative number in \"" + key_ + "\"");
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t&) override {
    check_place();
    if (field_ == field::us)
      event_.us = value;
    else if (number_wanted())
      fail("has no whole number in \"" + key_ + "\"");
    return true;
  }
  bool string(string_t& value) override;
  bool key(string_t& name) override;
  bool start_object(std::size_t) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception&) override;

  const trace_header& header() const { return header_; }
  bool saw_events() const { return saw_events_; }

 private:
  enum class part : std::uint8_t { other, header, events };

  [[noreturn]] void fail(const std::string& why) const {
    throw no_trace(path_, (part_ == part::events ? fmt::format("event {} ", number_) : "it ") + why);
  }
  /// A value, or a container that is about to begin, stands where it may.
  void check_place() const {
    if (depth_ == 0) throw no_trace(path_, "it is JSON, but no object with a list \"traceEvents\"");
    if (depth_ == 1 && part_ == part::events) throw no_trace(path_, "its \"traceEvents\" is no list");
    if (depth_ == 2 && part_ == part::events)
      throw no_trace(path_, fmt::format("event {} is no object", number_ + 1));
  }
  bool number_wanted() const {
    return field_ == field::us || field_ == field::track || field_ == field::flow || field_ == field::task ||
           field_ == field::real || field_ == field::by || field_ == field::from || field_ == field::workers;
  }
  bool other_value() {
    check_place();
    if (field_ != field::none) fail("has no value of the right kind in \"" + key_ + "\"");
    return true;
  }

  const std::string& path_;
  const std::istream& file_;
  const std::function<void(const trace_event&)>& each_;
  trace_header header_;
  trace_event event_;
  std::uint64_t number_ = 0;  // of the event, from 1
  int depth_ = 0;
  part part_ = part::other;
  bool in_arguments_ = false, saw_events_ = false;
  field field_ = field::none;  // what the next value is
  std::string key_;
};

bool handler::number_unsigned(number_unsigned_t value) {
  check_place();
  switch (field_) {
    case field::us:
      event_.us = static_cast<double>(value);
      break;
    case field::track:
      event_.track = value;
      break;
    case field::flow:
      event_.flow = value;
      break;
    case field::task:
      event_.task = value;
      break;
    case field::real:
      event_.real = value;
      break;
    case field::by:
      event_.by = value;
      break;
    case field::from:
      event_.from = value;
      break;
    case field::workers:
      header_.workers = value;
      break;
    case field::none:
      break;
    default:
      fail("has a number where a text belongs, in \"" + key_ + "\"");
  }
  return true;
}

bool handler::string(string_t& value) {
  check_place();
  switch (field_) {
    case field::phase:
      event_.phase = value.size() == 1 ? value[0] : '?';
      break;
    case field::name:
      event_.name = value;
      break;
    case field::category:
      event_.category = value;
      break;
    case field::how:
      event_.how = value;
      break;
    case field::on:
      event_.on = value;
      break;
    case field::program:
      header_.program = value;
      break;
    case field::version:
      header_.version = value;
      break;
    case field::none:
      break;
    default:
      fail("has a text where a number belongs, in \"" + key_ + "\"");
  }
  return true;
}

bool handler::key(string_t& name) {
  field_ = field::none;
  if (depth_ == 1) {
    part_ = name == "traceEvents" ? part::events : name == "otherData" ? part::header : part::other;
  } else if (part_ == part::events && depth_ == 3) {
    field_ = meaning_of(name, event_keys);
    in_arguments_ = name == "args";
  } else if (part_ == part::events && depth_ == 4 && in_arguments_) {
    field_ = meaning_of(name, argument_keys);
  } else if (part_ == part::header && depth_ == 2) {
    field_ = meaning_of(name, header_keys);
  }
  if (field_ != field::none) key_ = name;
  return true;
}

bool handler::start_object(std::size_t) {
  if (field_ != field::none) fail("has no value of the right kind in \"" + key_ + "\"");
  if (depth_ == 1 && part_ == part::events) check_place();
  if (depth_ == 2 && part_ == part::events) {
    ++number_;
    event_ = trace_event{};
    in_arguments_ = false;
  }
  ++depth_;
  return true;
}

bool handler::end_object() {
  field_ = field::none;
  if (--depth_ != 2 || part_ != part::events) return true;
  try {
    each_(event_);
  } catch (const event_problem& problem) {
    fail(problem.what());
  }
  return true;
}

bool handler::start_array(std::size_t) {
  if (field_ != field::none) fail("has no value of the right kind in \"" + key_ + "\"");
  const bool events_begin = depth_ == 1 && part_ == part::events;
  if (!events_begin) check_place();
  if (events_begin) saw_events_ = true;
  ++depth_;
  return true;
}

bool handler::parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception&) {
  const bool at_end = file_.eof();
  const std::string place = number_ == 0 ? "" : fmt::format(", in or after event {}", number_);
  if (byte <= 1 && at_end)
    throw std::runtime_error(path_ + " is empty; a trace is written with HOCKET_TRACE=FILE");
  if (at_end) {
    throw std::runtime_error(fmt::format(
        "{} is cut off: it ends at byte {}{}; a trace is complete when the traced program has ended", path_,
        byte - 1, place));
  }
  throw std::runtime_error(fmt::format("{} is no JSON: byte {}{} does not belong there", path_, byte, place));
}

}  // namespace

std::runtime_error no_trace(const std::string& path, const std::string& why) {
  return std::runtime_error(fmt::format(
      "{} is no trace of Hocket, or is damaged: {}; one is written with HOCKET_TRACE=FILE", path, why));
}

trace_header read_events(const std::string& path, const std::function<void(const trace_event&)>& each) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw std::runtime_error(path + " is a folder; name the file that HOCKET_TRACE=FILE wrote");
  std::vector<char> buffer(1 << 20);
  std::ifstream file;
  file.rdbuf()->pubsetbuf(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  errno = 0;
  file.open(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(
        fmt::format("{} cannot be read: {}", path, std::generic_category().message(errno)));
  handler sax(path, file, each);
  json::sax_parse(file, &sax);
  if (file.bad()) throw std::runtime_error(fmt::format("{} cannot be read to its end", path));
  if (!sax.saw_events()) throw no_trace(path, "it has no list \"traceEvents\"");
  if (sax.header().workers == 0 || sax.header().workers > 65536)
    throw no_trace(path, "its \"otherData\" does not tell the number of \"workers\"");
  return sax.header();
}

}  // namespace hocket::tool
