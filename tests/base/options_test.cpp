// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every option by flag, by environment and by the program; precedence; bad values; what is left of argv.
#include <hocket/error.hpp>
#include <hocket/options.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {
using namespace hocket;

struct example {
  const char* name;   // as in settings()
  const char* value;  // given
  const char* shown;  // by settings()
  std::vector<const char*> bad;
};
const example examples[] = {
    {"workers", "7", "7", {"0", "-1", "1025", "", "two", "1.5", "99999999999999999999"}},
    {"stack_size", "1M", "1048576", {"0", "1K", "15K", "65G", "1MB", "K", "-1", "18446744073709551615G"}},
    {"pin", "0", "0", {"2", "", "maybe"}},
    {"spin", "123", "123", {"0", "1000001", "fast"}},
    {"fp_env", "shared", "shared", {"", "none", "per-task"}},
    {"stats", "on", "1", {"2", ""}},
    {"stack_keep", "2K", "2048", {"0", "2G", "all"}},
    {"shepherds", "3", "3", {"0", "1025", "-1", "two"}},
    {"steal", "inside", "inside", {"", "some", "0", "None"}},
    {"max_threads", "12", "12", {"-1", "65537", "many"}},
    {"slice", "2500", "2500", {"1", "99", "10000001", "1ms"}},
    {"trace", "run.json", "run.json", {""}},
    {"backtrace", "1", "1", {"2", "", "full"}},
    {"suspect_after", "0", "0", {"-1", "86401", "never"}},
};

std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return s;
}
std::string flag_of(const example& e) {
  std::string s = std::string("--hk-") + e.name;
  for (char& c : s) c = c == '_' ? '-' : c;
  return s;
}
std::string variable_of(const example& e) { return "HOCKET_" + upper(e.name); }

/// A command line whose words can be edited in place.
class command_line {
 public:
  explicit command_line(std::vector<std::string> words) : words_(std::move(words)) {
    for (auto& w : words_) argv_.push_back(w.data());
    argv_.push_back(nullptr);
    argc_ = static_cast<int>(words_.size());
  }
  options parse(options defaults = {}) { return options::from(argc_, argv_.data(), std::move(defaults)); }
  std::vector<std::string> left() const {
    EXPECT_EQ(argv_[static_cast<std::size_t>(argc_)], nullptr);
    return {argv_.begin(), argv_.begin() + argc_};
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
  int argc_;
};

setting setting_of(const options& o, const std::string& name) {
  for (const setting& s : settings(o)) {
    if (s.name == name) return s;
  }
  ADD_FAILURE() << "no setting " << name;
  return {};
}

std::string refusal_of(std::vector<std::string> words) {
  try {
    command_line(std::move(words)).parse();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::invalid_option);
    return e.what();
  }
  return "accepted";
}

using words = std::vector<std::string>;

/// The variables that a developer may have set are none of the tests' business.
class options_test : public ::testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    for (const example& e : examples) unsetenv(variable_of(e).c_str());
  }
};

TEST_F(options_test, the_table_has_no_option_that_is_not_tested) {
  EXPECT_EQ(settings({}).size(), std::size(examples));
  for (const example& e : examples) {
    EXPECT_FALSE(setting_of({}, e.name).help.empty());
    EXPECT_EQ(setting_of({}, e.name).origin, "default");
    EXPECT_NE(setting_of({}, e.name).value, e.shown) << "an example must differ from the default";
  }
}

TEST_F(options_test, by_flag_with_a_space_or_with_an_equals_sign) {
  for (const example& e : examples) {
    for (const words& given : {words{"app", flag_of(e), e.value}, words{"app", flag_of(e) + "=" + e.value}}) {
      command_line line(given);
      const setting s = setting_of(line.parse(), e.name);
      EXPECT_EQ(s.value, e.shown);
      EXPECT_EQ(s.origin, flag_of(e));
      EXPECT_EQ(line.left(), words{"app"});
    }
  }
}

TEST_F(options_test, by_environment) {
  for (const example& e : examples) {
    setenv(variable_of(e).c_str(), e.value, 1);
    const setting s = setting_of(options::from_environment(), e.name);
    EXPECT_EQ(s.value, e.shown);
    EXPECT_EQ(s.origin, variable_of(e));
    EXPECT_EQ(setting_of(command_line({"app"}).parse(), e.name).value, e.shown);
    unsetenv(variable_of(e).c_str());
  }
}

TEST_F(options_test, by_the_program) {
  options o;
  o.workers = 3;
  EXPECT_EQ(setting_of(o, "workers").value, "3");
  EXPECT_EQ(setting_of(o, "workers").origin, "program");
  EXPECT_EQ(setting_of(command_line({"app"}).parse(o), "workers").origin, "program");
  EXPECT_EQ(setting_of(o, "pin").origin, "default");
}

TEST_F(options_test, flag_before_environment_before_program_before_default) {
  options o;
  o.workers = 3;
  EXPECT_EQ(command_line({"app"}).parse(o).workers, 3u);
  setenv("HOCKET_WORKERS", "4", 1);
  EXPECT_EQ(command_line({"app"}).parse(o).workers, 4u);
  EXPECT_EQ(options::from_environment(o).workers, 4u);
  EXPECT_EQ(command_line({"app", "--hk-workers", "5"}).parse(o).workers, 5u);
  EXPECT_EQ(command_line({"app", "--hk-workers", "5", "--hk-workers=6"}).parse(o).workers, 6u)
      << "the last one counts";
  EXPECT_EQ(setting_of(command_line({"app", "--hk-workers", "5"}).parse(o), "workers").origin,
            "--hk-workers");
}

TEST_F(options_test, bad_values_are_named_with_what_would_be_right) {
  for (const example& e : examples) {
    for (const std::string bad : e.bad) {
      const std::string flag = refusal_of({"app", flag_of(e) + "=" + bad});
      EXPECT_TRUE(flag.starts_with(flag_of(e) + "=" + bad + " is not ")) << flag;
      EXPECT_GT(flag.size(), (flag_of(e) + "=" + bad + " is not ").size());
      setenv(variable_of(e).c_str(), bad.c_str(), 1);
      const std::string variable = refusal_of({"app"});
      EXPECT_TRUE(variable.starts_with(variable_of(e) + "=" + bad + " is not ")) << variable;
      unsetenv(variable_of(e).c_str());
    }
  }
}

TEST_F(options_test, bounds) {
  for (const char* good : {"1", "1024"}) EXPECT_EQ(refusal_of({"app", "--hk-workers", good}), "accepted");
  for (const char* good : {"16K", "16384", "64G", "16k", "1m"}) {
    EXPECT_EQ(refusal_of({"app", "--hk-stack-size", good}), "accepted") << good;
  }
  for (const char* good : {"0", "1", "on", "off", "yes", "no", "true", "false"}) {
    EXPECT_EQ(refusal_of({"app", "--hk-pin", good}), "accepted") << good;
  }
  for (const char* good : {"1", "1024"})
    EXPECT_EQ(refusal_of({"app", "--hk-shepherds", good}), "accepted") << good;
  for (const char* good : {"all", "inside", "none"}) {
    EXPECT_EQ(refusal_of({"app", "--hk-steal", good}), "accepted") << good;
  }
  for (const char* good : {"0", "1", "65536"})
    EXPECT_EQ(refusal_of({"app", "--hk-max-threads", good}), "accepted");
  for (const char* good : {"0", "100", "10000000"})
    EXPECT_EQ(refusal_of({"app", "--hk-slice", good}), "accepted");
  for (const char* good : {"0", "1", "86400"})
    EXPECT_EQ(refusal_of({"app", "--hk-suspect-after", good}), "accepted");
}

TEST_F(options_test, an_unknown_flag_is_refused_with_the_known_ones) {
  for (const char* unknown : {"--hk-worker", "--hk-", "--hk-workers2", "--hk-stack_size"}) {
    const std::string text = refusal_of({"app", unknown, "1"});
    EXPECT_TRUE(text.starts_with(unknown)) << text;
    for (const example& e : examples) EXPECT_NE(text.find(flag_of(e)), std::string::npos) << text;
  }
}

TEST_F(options_test, a_flag_without_its_value_is_refused) {
  EXPECT_EQ(refusal_of({"app", "--hk-workers"}), "--hk-workers needs a value: a whole number from 1 to 1024");
}

TEST_F(options_test, other_words_stay_in_their_order) {
  command_line line({"app", "-v", "--hk-workers", "2", "file", "--hk-pin=0", "--other=1", "--",
                     "--hk-workers", "9", "--hk-x"});
  EXPECT_EQ(line.parse().workers, 2u) << "nothing is ours after --";
  EXPECT_EQ(line.left(), (words{"app", "-v", "file", "--other=1", "--", "--hk-workers", "9", "--hk-x"}));
  command_line nothing({"app"});
  nothing.parse();
  EXPECT_EQ(nothing.left(), words{"app"});
  command_line empty({});
  empty.parse();
  EXPECT_EQ(empty.left(), words{});
}

TEST_F(options_test, errors_belong_to_a_category_of_their_own) {
  const std::error_code code = errc::invalid_option;
  EXPECT_STREQ(code.category().name(), "hocket");
  for (int e = 1; e <= static_cast<int>(errc::closed); ++e) {
    EXPECT_NE(error_category().message(e), error_category().message(0)) << "errc " << e << " has no text";
  }
  const error one(errc::no_memory, "a sentence");
  const error copy = one;
  EXPECT_STREQ(copy.what(), "a sentence");
  EXPECT_EQ(copy.code(), errc::no_memory);
}

// In a process of its own, since a process is warned once.
TEST_F(options_test, an_unknown_variable_is_warned_of_with_the_nearest_name) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("HOCKET_WORKER", "3", 1);
  EXPECT_EXIT(std::_Exit(options::from_environment().workers == 0 ? 0 : 1), ::testing::ExitedWithCode(0),
              "^hocket: nothing reads the environment variable HOCKET_WORKER; did you mean HOCKET_WORKERS");
  unsetenv("HOCKET_WORKER");
}

}  // namespace
