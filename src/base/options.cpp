// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads every tunable from the environment and the command line, by one table.
#include <hocket/options.hpp>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>

#include <hocket/error.hpp>
#include <hocket/topology.hpp>

#include "base/defaults.hpp"

namespace hocket {
namespace {

/// A whole number with an optional suffix K, M or G (powers of 1024); nothing else.
std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc{} || end == text.data()) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  unsigned shift = 0;
  if (suffix.size() > 1) return std::nullopt;
  if (!suffix.empty()) {
    switch (std::toupper(static_cast<unsigned char>(suffix[0]))) {
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        return std::nullopt;
    }
  }
  if (shift != 0 && n > (SIZE_MAX >> shift)) return std::nullopt;
  return n << shift;
}

bool set_number(std::size_t& to, std::string_view text, std::size_t low, std::size_t high) {
  const auto n = parse_size(text);
  if (!n || *n < low || *n > high) return false;
  to = *n;
  return true;
}
template <class T>
bool set_number(T& to, std::string_view text, std::size_t low, std::size_t high) {
  std::size_t n = 0;
  if (!set_number(n, text, low, high)) return false;
  to = static_cast<T>(n);
  return true;
}
bool set_flag(bool& to, std::string_view text) {
  if (text == "1" || text == "on" || text == "yes" || text == "true") return to = true;
  if (text == "0" || text == "off" || text == "no" || text == "false") {
    to = false;
    return true;
  }
  return false;
}

struct entry {
  const char* name;   // as in options
  const char* right;  // what a value looks like
  const char* help;
  bool (*set)(options&, std::string_view);
  std::string (*show)(const options&);
};

const entry table[] = {
    {"workers", "a whole number from 1 to 1024",
     "OS threads that run tasks; by default one per core this process may use",
     [](options& o, std::string_view v) { return set_number(o.workers, v, 1, detail::max_workers); },
     [](const options& o) { return std::to_string(o.workers != 0 ? o.workers : available_cores()); }},
    {"stack_size", "bytes from 16K to 64G, with K, M or G if you like", "stack of a task, in bytes",
     [](options& o, std::string_view v) {
       return set_number(o.stack_size, v, detail::min_stack_size, detail::max_stack_size);
     },
     [](const options& o) {
       return std::to_string(o.stack_size != 0 ? o.stack_size : detail::default_stack_size);
     }},
    {"pin", "0 or 1", "bind each worker to a core, unless there are more workers than cores",
     [](options& o, std::string_view v) { return set_flag(o.pin, v); },
     [](const options& o) { return std::string(o.pin ? "1" : "0"); }},
    {"spin", "microseconds from 1 to 1000000", "how long an idle worker looks for work before it sleeps",
     [](options& o, std::string_view v) { return set_number(o.spin, v, 1, 1000000); },
     [](const options& o) { return std::to_string(o.spin != 0 ? o.spin : detail::default_spin); }},
    {"fp_env", "per_task or shared",
     "floating-point environment at a task switch: saved, or shared by all tasks",
     [](options& o, std::string_view v) {
       if (v == "per_task") o.fp_env = fp_environment::per_task;
       if (v == "shared") o.fp_env = fp_environment::shared;
       return v == "per_task" || v == "shared";
     },
     [](const options& o) {
       return std::string(o.fp_env == fp_environment::shared ? "shared" : "per_task");
     }},
    {"stats", "0 or 1", "print the counters at the end of a run",
     [](options& o, std::string_view v) { return set_flag(o.stats, v); },
     [](const options& o) { return std::string(o.stats ? "1" : "0"); }},
    {"stack_keep", "a whole number from 1 to 1G", "free stacks whose memory is kept for reuse",
     [](options& o, std::string_view v) { return set_number(o.stack_keep, v, 1, std::size_t{1} << 30); },
     [](const options& o) {
       return std::to_string(o.stack_keep != 0 ? o.stack_keep : detail::default_stack_keep);
     }},
    {"shepherds", "a whole number from 1 to 1024",
     "groups of workers; by default one per last-level cache or NUMA node",
     [](options& o, std::string_view v) { return set_number(o.shepherds, v, 1, detail::max_workers); },
     [](const options& o) {
       return o.shepherds != 0 ? std::to_string(o.shepherds) : std::string("by machine");
     }},
    {"steal", "all, inside or none", "from whom an idle worker takes work: all, its own shepherd, or none",
     [](options& o, std::string_view v) {
       if (v == "all") o.steal = stealing::all;
       if (v == "inside") o.steal = stealing::inside;
       if (v == "none") o.steal = stealing::none;
       return v == "all" || v == "inside" || v == "none";
     },
     [](const options& o) {
       return std::string(o.steal == stealing::all ? "all" : o.steal == stealing::inside ? "inside" : "none");
     }},
    {"max_threads", "a whole number from 0 to 65536",
     "OS threads that a run may use, the caller's included; 0: no limit",
     [](options& o, std::string_view v) { return set_number(o.max_threads, v, 0, 65536); },
     [](const options& o) { return std::to_string(o.max_threads); }},
    {"slice", "microseconds from 100 to 10000000, or 0",
     "time after which a task yields at its next fork or check(); 0: never",
     [](options& o, std::string_view v) {
       return v == "0" ? (o.slice = 0, true) : set_number(o.slice, v, 100, 10000000);
     },
     [](const options& o) { return std::to_string(o.slice); }},
    {"trace", "the name of a file",
     "write a trace of the run to this file, for Perfetto or `hocket timeline`",
     [](options& o, std::string_view v) {
       o.trace = v;
       return !v.empty();
     },
     [](const options& o) { return o.trace; }},
    {"backtrace", "0 or 1", "show in reports where each task waits",
     [](options& o, std::string_view v) { return set_flag(o.backtrace, v); },
     [](const options& o) { return std::string(o.backtrace ? "1" : "0"); }},
    {"suspect_after", "seconds from 0 to 86400",
     "standstill after which a suspicion of deadlock is said; 0: never",
     [](options& o, std::string_view v) { return set_number(o.suspect_after, v, 0, 86400); },
     [](const options& o) { return std::to_string(o.suspect_after); }},
};
constexpr std::size_t entries = std::size(table);

std::string environment_name(const entry& e) {
  std::string s = "HOCKET_";
  for (const char* p = e.name; *p != '\0'; ++p)
    s += static_cast<char>(std::toupper(static_cast<unsigned char>(*p)));
  return s;
}
std::string flag_name(const entry& e) {
  std::string s = "--hk-";
  for (const char* p = e.name; *p != '\0'; ++p) s += *p == '_' ? '-' : *p;
  return s;
}

/// Names that are not options of a run, but ours.
constexpr const char* other_names[] = {"HOCKET_TEST_DATA"};

/// The number of letters to change, add or leave out to turn a into b.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// Warns, once a process, of every HOCKET_ variable that nothing reads: most likely a slip of the pen.
void warn_of_unknown_names() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
      const std::string_view text = *e;
      if (!text.starts_with("HOCKET_")) continue;
      const std::string_view name = text.substr(0, text.find('='));
      std::string nearest;
      bool known = std::find(std::begin(other_names), std::end(other_names), name) != std::end(other_names);
      for (const entry& t : table) {
        const std::string ours = environment_name(t);
        known = known || ours == name;
        if (nearest.empty() || distance(name, ours) < distance(name, nearest)) nearest = ours;
      }
      if (known) continue;
      std::fprintf(stderr, "hocket: nothing reads the environment variable %.*s; did you mean %s?\n",
                   static_cast<int>(name.size()), name.data(), nearest.c_str());
    }
  });
}

void apply(options& o, std::size_t i, const std::string& where, std::string_view value) {
  if (!table[i].set(o, value)) {
    throw error(errc::invalid_option, where + "=" + std::string(value) + " is not " + table[i].right);
  }
  o.origins[i] = where;
}

}  // namespace

options options::from_environment(options o) {
  warn_of_unknown_names();
  if (o.origins.size() != entries) o.origins.assign(entries, "default");
  for (std::size_t i = 0; i < entries; ++i) {
    const std::string name = environment_name(table[i]);
    if (const char* value = std::getenv(name.c_str()); value != nullptr) apply(o, i, name, value);
  }
  return o;
}

options options::from(int& argc, char** argv, options o) {
  o = from_environment(std::move(o));
  int kept = argc > 0 ? 1 : 0;
  bool ours = true;
  for (int a = kept; a < argc; ++a) {
    const std::string_view text = argv[a];
    if (text == "--") ours = false;
    if (!ours || !text.starts_with("--hk-")) {
      argv[kept++] = argv[a];
      continue;
    }
    const std::size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    std::size_t i = 0;
    while (i < entries && flag_name(table[i]) != name) ++i;
    if (i == entries) {
      std::string known;
      for (const entry& e : table) known += (known.empty() ? "" : ", ") + flag_name(e);
      throw error(errc::invalid_option, name + " is no option of hocket; there are " + known);
    }
    if (equals == std::string_view::npos && a + 1 >= argc) {
      throw error(errc::invalid_option, name + " needs a value: " + table[i].right);
    }
    apply(o, i, name,
          equals == std::string_view::npos ? std::string_view(argv[++a]) : text.substr(equals + 1));
  }
  argc = kept;
  argv[argc] = nullptr;
  return o;
}

std::vector<setting> settings(const options& o) {
  std::vector<setting> all;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::string value = table[i].show(o);
    std::string origin = i < o.origins.size() ? o.origins[i] : "default";
    if (origin == "default" && value != table[i].show(options{})) origin = "program";
    all.push_back({table[i].name, value, origin, table[i].help});
  }
  return all;
}

}  // namespace hocket
