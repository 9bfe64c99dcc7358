#include "storage/download/initializer/run_initializer.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/logging.h"
#include "storage/download/cached_fetch.h"
#include "storage/download/download.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

namespace {

constexpr int kWrongArguments = 2;
constexpr std::string_view kUsage =
    "Usage: inferd-storage-initializer SOURCE FOLDER [SOURCE FOLDER]...\n"
    "Downloads the model that a storage URI names into a folder.\n";

// Turns SIGTERM and SIGINT into a request to stop. Made before any other thread, so that all threads have the signals
// blocked.
class StopOnSignal final {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiter_ = std::jthread([this] {
      int signal = 0;
      sigwait(&signals_, &signal);
      if (signal != SIGUSR1) source_.request_stop();
    });
  }
  ~StopOnSignal() { pthread_kill(waiter_.native_handle(), SIGUSR1); }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return source_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source source_;
  std::jthread waiter_;
};

// Prints a line every few seconds during the download.
class ProgressLines final {
 public:
  explicit ProgressLines(base::Logger& logger) : logger_(logger) {}

  void Show(const DownloadProgress& progress) {
    constexpr std::chrono::seconds kBetweenLines{5};
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kBetweenLines) return;
    last_ = now;
    std::string text = std::to_string(progress.bytes);
    if (progress.bytes_total.has_value()) text += " of " + std::to_string(*progress.bytes_total);
    logger_.Info(text + " bytes, " + std::to_string(progress.files_complete) + " of " + std::to_string(progress.files) +
                 " files");
  }

 private:
  base::Logger& logger_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

base::Status DownloadAndSay(const std::string& uri, const std::string& folder, base::Logger& logger,
                            const std::stop_token& stop) {
  const std::string shown = ShownUri(uri);
  logger.Info("Copying contents of " + shown + " to local");
  ProgressLines lines(logger);
  DownloadOptions options;
  INFERD_RETURN_IF_ERROR(ReadCacheOptions(ProcessEnvironment(), options));
  options.fetch.on_progress = [&](const DownloadProgress& progress) { lines.Show(progress); };
  INFERD_RETURN_IF_ERROR(Download(uri, folder, ProcessEnvironment(), options, stop));
  logger.Info("Successfully copied " + shown + " to " + folder);
  return {};
}

}  // namespace

int RunStorageInitializer(int argc, const char* const* argv) {
  if (argc < 3 || argc % 2 == 0) {
    const bool help = argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h");
    (help ? std::cout : std::cerr) << kUsage;
    return help ? 0 : kWrongArguments;
  }
  const StopOnSignal stop;
  auto logger = base::Logger::Create({});
  if (!logger.has_value()) return 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const base::Status status = DownloadAndSay(argv[i], argv[i + 1], **logger, stop.token());
    if (status.ok()) continue;
    (*logger)->Error(status.message());
    return 1;
  }
  return 0;
}

}  // namespace inferd::storage
