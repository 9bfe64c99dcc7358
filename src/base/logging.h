#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::base {

enum class LogLevel : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3 };
// The formats of log lines. The last two imitate Triton's: glog's form with a quoted message, or a form that begins
// with an ISO 8601 time. Both contain UTC, the process and a source location, which is always the same here: log
// parsers only need the form.
enum class LogFormat { kHuman, kJson, kTriton, kTritonIso8601 };

// The value of a field: a text, or a number, which JSON lines write as a number. Texts are viewed, not copied.
class LogValue final {
 public:
  template <typename Text>
    requires std::convertible_to<const Text&, std::string_view>
  LogValue(const Text& text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  LogValue(Integer number)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::kNumber), number_(static_cast<int64_t>(number)) {}

  // A number in text form, such as "3", which may come from a client. Human-readable lines show the text as it is. JSON
  // lines show the number, or null if the text is not a 64-bit integer.
  static LogValue NumberIn(std::string_view text);

 private:
  friend class Logger;
  enum class Kind : uint8_t { kText, kNumber, kNumberInText };

  void AppendHuman(std::string& line) const;
  void AppendJson(std::string& line) const;

  Kind kind_ = Kind::kText;
  std::string_view text_;
  int64_t number_ = 0;
};

struct LogField {
  std::string_view key;  // if empty, the field is left out
  LogValue value;
  bool in_message = false;  // true if the message contains the value: only JSON lines write the field
};

// The server's log: one line per event on stderr or in a file, human-readable or JSON. Thread-safe. `main` creates it
// and passes it down. Call Enabled() first if building the message is expensive.
class Logger final {
 public:
  struct Options {
    LogFormat format = LogFormat::kHuman;
    std::string file;  // stderr if empty
  };

  static Result<std::unique_ptr<Logger>> Create(const Options& options);
  // Returns a logger that writes nothing, for tests and tools.
  static std::unique_ptr<Logger> Silent();
  ~Logger();

  bool Enabled(LogLevel level) const { return enabled_[static_cast<int>(level)].load(std::memory_order_relaxed); }
  void SetEnabled(LogLevel level, bool on) { enabled_[static_cast<int>(level)].store(on, std::memory_order_relaxed); }
  // Triton's log_verbose_level: any value above 0 turns verbose lines on.
  int verbose_level() const { return verbose_level_.load(std::memory_order_relaxed); }
  void SetVerboseLevel(int level);
  LogFormat format() const { return format_.load(std::memory_order_relaxed); }
  // Switches between Triton's two formats. Returns false if the log's format or `format` is not one of them.
  bool SetTritonFormat(LogFormat format);
  const std::string& file() const { return options_.file; }

  void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});
  // Writes `line` without a head and without quotes, as libraries of other servers write theirs. In JSON, it is a
  // message as any other.
  void LogBare(LogLevel level, std::string_view line);
  void Verbose(std::string_view m, std::initializer_list<LogField> f = {}) { Log(LogLevel::kVerbose, m, f); }
  void Info(std::string_view m, std::initializer_list<LogField> f = {}) { Log(LogLevel::kInfo, m, f); }
  void Warning(std::string_view m, std::initializer_list<LogField> f = {}) { Log(LogLevel::kWarning, m, f); }
  void Error(std::string_view m, std::initializer_list<LogField> f = {}) { Log(LogLevel::kError, m, f); }

 private:
  class Sink;
  explicit Logger(Options options, std::unique_ptr<Sink> sink);

  Options options_;
  std::unique_ptr<Sink> sink_;
  std::atomic<bool> enabled_[4] = {false, true, true, true};
  std::atomic<int> verbose_level_{0};
  std::atomic<LogFormat> format_;
};

}  // namespace inferd::base
