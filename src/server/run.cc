#include "server/run.h"

#include <malloc.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>

#include "config/options_parser.h"
#include "config/personality.h"
#include "server/credential_watch.h"
#include "server/dry_run.h"
#include "server/inference_server.h"
#include "server/signals.h"
#include "server/version.h"

namespace inferd::server {

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr std::chrono::milliseconds kCredentialLook{2000};
constexpr std::chrono::milliseconds kStartLook{50};
constexpr std::chrono::seconds kUnloadMax{10};

base::Result<std::unique_ptr<base::Logger>> MakeLogger(const config::LogOptions& options) {
  INFERD_ASSIGN_OR_RETURN(auto logger, base::Logger::Create({.format = options.format, .file = options.file}));
  logger->SetEnabled(base::LogLevel::kInfo, options.info);
  logger->SetEnabled(base::LogLevel::kWarning, options.warning);
  logger->SetEnabled(base::LogLevel::kError, options.error);
  logger->SetVerboseLevel(options.verbose_level);
  return logger;
}

// Ends the process when unloading takes too long: an engine that is stuck in a call would hold it up for good.
class UnloadWatch {
 public:
  explicit UnloadWatch(base::Logger& logger)
      : thread_([&logger](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any done;
          if (done.wait_for(lock, stop, kUnloadMax, [&stop] { return stop.stop_requested(); })) return;
          logger.Error("models do not unload: an engine is stuck; leaving without it");
          std::_Exit(kExitFailed);
        }) {}

 private:
  std::jthread thread_;
};

int Serve(const config::ServerOptions& options, base::Logger& logger) {
  Signals signals;
  CredentialWatch credentials(options);
  auto server = InferenceServer::Start(options, logger);
  if (!server.has_value()) {
    logger.Error("cannot start", {{"reason", server.error().message()}});
    return kExitFailed;
  }
  std::string failure;
  bool starting = options.exit_on_error;
  bool open = false;
  for (;;) {
    if (!open) {
      const auto opened = (*server)->OpenWhenDue();
      if (!opened.has_value()) {
        logger.Error("cannot start", {{"reason", opened.error().message()}});
        return kExitFailed;
      }
      open = *opened;
    }
    const int signal = signals.Wait(starting || !open ? kStartLook : kCredentialLook);
    if (signal == SIGTERM || signal == SIGINT) break;
    if (signal == SIGHUP) (*server)->BeginNewLogFiles();
    if (signal == SIGHUP || credentials.Changed()) (*server)->ReloadCredentials();
    if (!starting) continue;
    if (failure = (*server)->StartupFailure(); !failure.empty()) break;
    starting = !(*server)->ready();
  }
  if (!failure.empty())
    logger.Error("a model of the initial set failed to load (--exit-on-error)", {{"reason", failure}});
  signals.ExitOnNext();
  const bool drained = (*server)->Drain();
  {
    const UnloadWatch watch(logger);
    server->reset();
  }
  logger.Info("stopped");
  return drained && failure.empty() ? 0 : kExitFailed;
}

// Few arenas: threads that load models leave less memory behind that only they could use again.
//
// Tensors up to a few megabytes are kept for the next request: by default glibc gives them back to the system with
// every free, and each page costs a fault when it is next touched, which doubled what a request of 1 MB costs.
void TuneAllocator() {
  constexpr int kMappedBytesMin = 8 << 20;  // from here on as large as the bodies that net::BodyPool does not keep
  constexpr int kFreeBytesMax = 32 << 20;   // at the end of each arena
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, kMappedBytesMin);
  mallopt(M_TRIM_THRESHOLD, kFreeBytesMax);
}

}  // namespace

int Run(int argc, char** argv, char** environment) {
  TuneAllocator();
  const auto parsed = config::ParseServerOptions(config::CommandLineSources(argc, argv, environment));
  if (!parsed.has_value()) {
    std::cerr << "inferd: " << parsed.error().message() << "\nTry 'inferd --help'.\n";
    return kExitUsage;
  }
  const config::ServerOptions& options = parsed->options;
  if (parsed->action == config::OptionAction::kHelp) {
    std::cout << config::ServerOptionsHelp(*options.personality);
    return 0;
  }
  if (parsed->action == config::OptionAction::kVersion) {
    std::cout << "inferd " << kVersion << '\n';
    return 0;
  }
  auto logger = MakeLogger(options.log);
  if (!logger.has_value()) {
    std::cerr << "inferd: " << logger.error().message() << '\n';
    return kExitUsage;
  }
  if (parsed->show_usage) std::cout << config::ServerOptionsHelp(*options.personality);
  for (const std::string& warning : parsed->warnings) (*logger)->Warning(warning);
  for (const std::string& note : parsed->notes) (*logger)->Info(note);
  if (options.dry_run) return DryRun(options, **logger, std::cout);
  return Serve(options, **logger);
}

}  // namespace inferd::server
