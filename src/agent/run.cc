#include "agent/run.h"

#include <poll.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "agent/agent.h"
#include "agent/await_ready.h"
#include "agent/command_line.h"
#include "base/logging.h"
#include "base/system/end_signals.h"
#include "base/system/file_descriptor.h"

namespace inferd::agent {

namespace {

constexpr int kExitFailed = 1;

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? "" : value;
}

// Requests `stop` at the first signal; ends with `own`.
void WatchSignals(const std::stop_token& own, const base::FileDescriptor& signals, std::stop_source& stop) {
  constexpr int kLookMs = 100;
  pollfd wanted{.fd = signals.get(), .events = POLLIN, .revents = 0};
  while (!own.stop_requested()) {
    if (poll(&wanted, 1, kLookMs) > 0) {
      stop.request_stop();
      return;
    }
  }
}

int Serve(AgentOptions options) {
  const base::FileDescriptor signals = base::TakeEndSignals();
  auto logger = base::Logger::Create({});
  if (!logger.has_value()) {
    std::cerr << logger.error().message() << "\n";
    return kExitFailed;
  }
  std::stop_source stop;
  std::jthread watching([&](const std::stop_token& own) { WatchSignals(own, signals, stop); });
  auto agent = Agent::Start(std::move(options), **logger, stop.get_token());
  if (!agent.has_value()) {
    if (agent.error().code() == base::StatusCode::kCancelled) return 0;
    (*logger)->Error("cannot start", {{"reason", agent.error().message()}});
    return agent.error().code() == base::StatusCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  watching.join();
  (*agent)->Drain();
  agent->reset();
  (*logger)->Info("stopped");
  return 0;
}

}  // namespace

int Run(int argc, char** argv) {
  ParsedCommandLine parsed = ParseCommandLine(argc, argv, Environment);
  if (parsed.exit_status.has_value()) return *parsed.exit_status;
  if (!parsed.probe_period.has_value()) return Serve(std::move(parsed.options));
  const base::Status ready = AwaitReady(parsed.options.port, *parsed.probe_period);
  if (!ready.ok()) std::cerr << "inferd-agent: " << ready.message() << "\n";
  return ready.ok() ? 0 : kExitFailed;
}

}  // namespace inferd::agent
