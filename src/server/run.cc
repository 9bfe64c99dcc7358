#include "server/run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/memory_shortage.h"
#include "base/system/allocator.h"
#include "base/system/private_memory.h"
#include "base/version/version.h"
#include "config/option_table/options_parser.h"
#include "config/personality.h"
#include "server/dry_run.h"
#include "server/engine_list.h"
#include "server/inference_server.h"
#include "server/process/credential_watch.h"
#include "server/process/exit_watch.h"
#include "server/process/signals.h"
#include "server/start/given_paths.h"
#include "server/start/greeting.h"

namespace inferd::server {

namespace {

constexpr int kExitFailed = 1;
constexpr std::chrono::milliseconds kLook{1000};
constexpr std::chrono::milliseconds kStartLook{50};
constexpr std::chrono::milliseconds kUnloadMax{10'000};
// Additional time after the drain, for the remaining clean-up.
constexpr std::chrono::milliseconds kEndMax{2'000};
// The time by which loads are left alone before the unload time is over.
constexpr std::chrono::milliseconds kLeaveEarly{500};
// Memory for requests in flight when memory runs out. It is never touched, so that it takes address space only.
constexpr size_t kMemoryReserveBytes = 16 << 20;

base::Result<std::unique_ptr<base::Logger>> MakeLogger(const config::LogOptions& options) {
  INFERD_ASSIGN_OR_RETURN(auto logger, base::Logger::Create({.format = options.format, .file = options.file}));
  logger->SetEnabled(base::LogLevel::kInfo, options.info);
  logger->SetEnabled(base::LogLevel::kWarning, options.warning);
  logger->SetEnabled(base::LogLevel::kError, options.error);
  logger->SetVerboseLevel(options.verbose_level);
  return logger;
}

// Drains, unloads, and returns the exit status. A watchdog ends the process if that takes too long: it depends on
// neither the loops nor this thread.
int End(std::unique_ptr<InferenceServer> server, std::chrono::milliseconds grace, const config::ServerOptions& options,
        base::Logger& logger) {
  const auto began = std::chrono::steady_clock::now();
  const std::chrono::milliseconds time = grace + options.drain_timeout;
  ExitWatch watch(logger, [] { std::_Exit(kExitFailed); });
  watch.ExitAfter(time + kEndMax, "the drain does not come to its end; leaving without it");
  const InferenceServer::Drained drained = server->Drain(grace);
  if (drained == InferenceServer::Drained::kStuck) std::_Exit(kExitFailed);
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(began + time - std::chrono::steady_clock::now());
  const auto unload_time = std::clamp<std::chrono::milliseconds>(left, kEndMax, kUnloadMax);
  watch.ExitAfter(unload_time, "models do not unload: an engine is stuck; leaving without it");
  const int status = drained == InferenceServer::Drained::kWhole ? 0 : kExitFailed;
  // A load cannot be interrupted, and may take minutes. No client waits for it any more.
  if (const size_t loads = server->UnloadBefore(std::chrono::steady_clock::now() + unload_time - kLeaveEarly);
      loads > 0) {
    logger.Warning("leaving while models are still loading", {{"loads", loads}});
    std::_Exit(status);
  }
  server.reset();
  return status;
}

// Returns the personality's name of an option: "--exit-on-error".
std::string FlagFor(const config::Personality& personality, std::string_view option) {
  const auto flag = std::ranges::find(personality.flags, option, &config::PersonalityFlag::option);
  return "--" + std::string(flag == personality.flags.end() ? option : flag->name);
}

void LogFailedStart(const config::ServerOptions& options, const std::string& failure, base::Logger& logger) {
  const auto flag = [&](std::string_view option) { return " (" + FlagFor(*options.personality, option) + ")"; };
  logger.Error(options.exit_on_error ? "a model of the initial set failed to load" + flag("exit-on-error")
                                     : "the configuration of a model is wrong" + flag("exit-on-bad-configuration"),
               {{"reason", failure}});
}

// Memory or threads may already be insufficient at the start.
base::Result<std::unique_ptr<InferenceServer>> Start(const config::ServerOptions& options, base::Logger& logger) {
  try {
    return InferenceServer::Start(options, logger);
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("there is not enough memory (ulimit -v, memory limits)"));
  } catch (const std::system_error& error) {
    return std::unexpected(base::ResourceExhausted(
        std::string("the system refuses a thread or a descriptor (ulimit -u and -n, pids.max): ") + error.what()));
  }
}

// Prints the start message on the console, whatever the log's settings are.
void Announce(const config::ServerOptions& options, const InferenceServer& server) {
  const bool http = options.http.enabled;
  std::cerr << options.personality->announce(options.server_name, http ? "http" : "grpc",
                                             server.port(http ? "http" : "grpc"))
            << std::endl;
}

// Shows the person who started the server at a terminal how to use it.
void Greet(const config::ServerOptions& options, const InferenceServer& server) {
  const OpenPorts ports{.http = server.port("http"), .grpc = server.port("grpc"), .metrics = server.port("metrics")};
  std::cerr << Greeting(options, ports, server.catalog()) << std::flush;
}

bool GreetsAtTerminal(const config::ServerOptions& options) {
  return options.personality == &config::DefaultPersonality() && options.log.file.empty() && options.log.info &&
         options.log.format == base::LogFormat::kHuman && isatty(STDERR_FILENO) == 1;
}

int Serve(const config::ServerOptions& options, base::Logger& logger) {
  Signals signals;
  CredentialWatch credentials(options);
  auto server = Start(options, logger);
  if (!server.has_value()) {
    logger.Error("cannot start", {{"reason", server.error().message() + MissingPathHint(options)}});
    return kExitFailed;
  }
  for (const std::string& warning : RepositoryWarnings(options)) logger.Warning(warning);
  std::string failure;
  bool starting = options.exit_on_error;
  const config::Personality& personality = *options.personality;
  bool trying = options.exit_on_bad_configuration || personality.announce != nullptr ||
                personality.bad_configuration_fails_startup;
  bool greets = GreetsAtTerminal(options);
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
    if (greets && open && (*server)->StartupTried()) {
      Greet(options, **server);
      greets = false;
    }
    const int signal = signals.Wait(starting || trying || greets || !open ? kStartLook : kLook);
    if (signal == SIGTERM || signal == SIGINT) break;
    base::TrimFreeMemory();
    if (signal == SIGHUP) (*server)->BeginNewLogFiles();
    if (signal == SIGHUP || credentials.Changed()) (*server)->ReloadCredentials();
    if (trying) {
      const bool tried = (*server)->StartupTried();
      if (tried && options.exit_on_bad_configuration) failure = (*server)->BadConfiguration();
      if (!failure.empty()) break;
      const bool failed = tried && (*server)->StartupFailed();
      if (failed) logger.Error("the server stays without having started", {{"reason", (*server)->BadConfiguration()}});
      if (tried && !failed && personality.announce != nullptr) Announce(options, **server);
      trying = !tried;
    }
    if (!starting) continue;
    if (failure = (*server)->StartupFailure(); !failure.empty()) break;
    starting = !(*server)->ready();
  }
  if (!failure.empty()) LogFailedStart(options, failure, logger);
  signals.ExitOnNext();
  const std::chrono::milliseconds grace = failure.empty() ? options.drain_grace : std::chrono::milliseconds(0);
  const int status = End(*std::move(server), grace, options, logger);
  logger.Info("stopped");
  return failure.empty() ? status : kExitFailed;
}

}  // namespace

int Run(int argc, char** argv, char** environment) {
  base::TuneAllocator();
  base::KeepMemoryReserve(kMemoryReserveBytes);
  const config::OptionSources sources = config::CommandLineSources(argc, argv, environment);
  auto parsed = config::ParseServerOptions(sources);
  if (!parsed.has_value()) {
    std::cerr << "inferd: " << parsed.error().message() << "\nTry 'inferd --help'.\n";
    return config::UsageExitStatus(sources);
  }
  const config::ServerOptions& options = parsed->options;
  if (parsed->action == config::OptionAction::kHelp) {
    std::cout << config::ServerOptionsHelp(*options.personality);
    return 0;
  }
  if (parsed->action == config::OptionAction::kVersion) {
    std::cout << "inferd " << base::BuildVersion() << '\n';
    return 0;
  }
  auto logger = MakeLogger(options.log);
  if (!logger.has_value()) {
    std::cerr << "inferd: " << logger.error().message() << '\n';
    return options.personality->usage_exit_status;
  }
  if (parsed->show_usage) std::cout << config::ServerOptionsHelp(*options.personality);
  for (const std::string& warning : parsed->warnings) (*logger)->Warning(warning);
  for (const std::string& note : parsed->notes) (*logger)->Info(note);
  for (const std::string& note : NameModelFolders(parsed->options)) (*logger)->Info(note);
  if (options.list_engines) return ListEngines(options, **logger, std::cout);
  if (options.dry_run) return DryRun(options, **logger, std::cout);
  if (!options.core_files) base::KeepMemoryPrivate();
  return Serve(options, **logger);
}

}  // namespace inferd::server
