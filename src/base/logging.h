#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::base {

enum class LogLevel : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3 };
enum class LogFormat { kHuman, kJson };

struct LogField {
  std::string_view key;
  std::string_view value;
};

// Where the server says what it does: one line per event on stderr or in a file, for people or as JSON. Thread-safe.
// `main` makes one and passes it down. Lines are built only when Enabled(), so ask first where building costs.
class Logger final {
 public:
  struct Options {
    LogFormat format = LogFormat::kHuman;
    std::string file;  // empty: stderr
  };

  static Result<std::unique_ptr<Logger>> Create(const Options& options);
  // Writes nothing; for tests and tools.
  static std::unique_ptr<Logger> Silent();
  ~Logger();

  bool Enabled(LogLevel level) const { return enabled_[static_cast<int>(level)].load(std::memory_order_relaxed); }
  void SetEnabled(LogLevel level, bool on) { enabled_[static_cast<int>(level)].store(on, std::memory_order_relaxed); }
  // Triton's log_verbose_level: any value above 0 turns verbose lines on.
  int verbose_level() const { return verbose_level_.load(std::memory_order_relaxed); }
  void SetVerboseLevel(int level);
  const std::string& file() const { return options_.file; }

  void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});
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
};

}  // namespace inferd::base
