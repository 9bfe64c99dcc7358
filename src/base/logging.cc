#include "base/logging.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/text/printable.h"

namespace inferd::base {

namespace {

// Values that a client sent may be long, and may contain any bytes.
constexpr size_t kMessageBytesMax = 16 << 10;
constexpr size_t kValueBytesMax = 4 << 10;

// Appends printable text in quotes, with escapes.
void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

// Quotes values, so that a client's field cannot forge a log line.
void AppendHumanValue(std::string& out, std::string_view value) {
  const std::string text = Printable(value, kValueBytesMax);
  const bool plain = !value.empty() && text == value && text.find_first_of(" \"\\=") == std::string_view::npos;
  if (plain) {
    out += text;
  } else {
    AppendQuoted(out, text);
  }
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kVerbose: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::info;
}

bool IsTriton(LogFormat format) { return format == LogFormat::kTriton || format == LogFormat::kTritonIso8601; }

// Returns the beginning of a line in Triton's format.
std::string TritonHead(LogFormat format, LogLevel level) {
  static constexpr char kLetters[] = {'I', 'I', 'W', 'E'};
  const char letter = kLetters[static_cast<int>(level)];
  const auto now = std::chrono::system_clock::now();
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  const std::time_t time = std::chrono::system_clock::to_time_t(whole);
  std::tm utc{};
  gmtime_r(&time, &utc);
  const bool iso8601 = format == LogFormat::kTritonIso8601;
  char stamp[32];
  std::strftime(stamp, sizeof stamp, iso8601 ? "%Y-%m-%dT%H:%M:%SZ" : "%m%d %H:%M:%S", &utc);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - whole).count();
  const std::string when =
      iso8601 ? fmt::format("{} {}", stamp, letter) : fmt::format("{}{}.{:06}", letter, stamp, micros);
  return fmt::format("{} {} inferd.cc:1] ", when, ::getpid());
}

// Appends a message, which is printable, in quotes.
void AppendTritonMessage(std::string& line, std::string_view message) {
  line += '"';
  for (const char c : message) {
    if (c == '"') line += '\\';
    line += c;
  }
  line += '"';
}

}  // namespace

LogValue LogValue::NumberIn(std::string_view text) {
  LogValue value(text);
  value.kind_ = Kind::kNumberInText;
  return value;
}

void LogValue::AppendHuman(std::string& line) const {
  if (kind_ == Kind::kNumber) {
    line += std::to_string(number_);
  } else {
    AppendHumanValue(line, text_);
  }
}

void LogValue::AppendJson(std::string& line) const {
  if (kind_ == Kind::kText) return AppendQuoted(line, Printable(text_, kValueBytesMax));
  int64_t number = number_;
  if (kind_ == Kind::kNumberInText) {
    const char* const end = text_.data() + text_.size();
    const auto parsed = std::from_chars(text_.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      line += "null";
      return;
    }
  }
  line += std::to_string(number);
}

class Logger::Sink {
 public:
  explicit Sink(std::shared_ptr<spdlog::logger> logger) : logger_(std::move(logger)) {}
  spdlog::logger& logger() { return *logger_; }

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

Logger::Logger(Options options, std::unique_ptr<Sink> sink)
    : options_(std::move(options)), sink_(std::move(sink)), format_(options_.format) {}
Logger::~Logger() = default;

Result<std::unique_ptr<Logger>> Logger::Create(const Options& options) {
  try {
    spdlog::sink_ptr sink;
    if (options.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
    }
    auto logger = std::make_shared<spdlog::logger>("inferd", std::move(sink));
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::trace);
    logger->set_pattern(options.format == LogFormat::kHuman ? "%Y-%m-%d %H:%M:%S.%e %L %v" : "%v");
    return std::unique_ptr<Logger>(new Logger(options, std::make_unique<Sink>(std::move(logger))));
  } catch (const spdlog::spdlog_ex& e) {
    return std::unexpected(InvalidArgument("cannot write the log to '" + options.file + "': " + e.what()));
  }
}

std::unique_ptr<Logger> Logger::Silent() {
  auto logger = std::unique_ptr<Logger>(new Logger({}, nullptr));
  for (auto& enabled : logger->enabled_) enabled.store(false, std::memory_order_relaxed);
  return logger;
}

bool Logger::SetTritonFormat(LogFormat format) {
  if (!IsTriton(this->format()) || !IsTriton(format)) return false;
  format_.store(format, std::memory_order_relaxed);
  return true;
}

void Logger::SetVerboseLevel(int level) {
  verbose_level_.store(level, std::memory_order_relaxed);
  SetEnabled(LogLevel::kVerbose, level > 0);
}

void Logger::Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!Enabled(level) || sink_ == nullptr) return;
  const LogFormat format = this->format();
  std::string line;
  if (format == LogFormat::kJson) {
    static constexpr std::string_view kNames[] = {"verbose", "info", "warning", "error"};
    const auto now = std::chrono::system_clock::now();
    const auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(now);
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - seconds).count();
    const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
    std::tm utc{};
    gmtime_r(&time, &utc);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    line = fmt::format("{{\"time\":\"{}.{:03}Z\",\"level\":\"{}\",\"message\":", stamp, millis,
                       kNames[static_cast<int>(level)]);
    AppendQuoted(line, Printable(message, kMessageBytesMax));
    for (const LogField& field : fields) {
      if (field.key.empty()) continue;
      line += ',';
      AppendQuoted(line, field.key);
      line += ':';
      field.value.AppendJson(line);
    }
    line += '}';
  } else {
    line = Printable(message, kMessageBytesMax);
    for (const LogField& field : fields) {
      if (field.key.empty() || field.in_message) continue;
      line += ' ';
      line += field.key;
      line += '=';
      field.value.AppendHuman(line);
    }
    if (IsTriton(format)) {
      std::string quoted = TritonHead(format, level);
      AppendTritonMessage(quoted, line);
      line = std::move(quoted);
    }
  }
  sink_->logger().log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

void Logger::LogBare(LogLevel level, std::string_view line) {
  if (format() == LogFormat::kJson) return Log(level, line);
  if (!Enabled(level) || sink_ == nullptr) return;
  const std::string shown = Printable(line, kMessageBytesMax);
  sink_->logger().log(ToSpdlog(level), spdlog::string_view_t(shown.data(), shown.size()));
}

}  // namespace inferd::base
