#include "kserve/agent/run.h"

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "base/logging.h"
#include "base/system/end_signals.h"
#include "base/system/file_descriptor.h"
#include "kserve/agent/agent.h"
#include "kserve/agent/await_ready.h"
#include "kserve/agent/command_line.h"
#include "kserve/agent/component_process.h"

namespace inferd::agent {

namespace {

constexpr int kExitFailed = 1;
constexpr std::chrono::seconds kComponentGrace{30};

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? "" : value;
}

// Requests `stop` at the first signal, or when the component ends, and returns. `component` is the component's handle,
// or -1 if there is none. Also returns if `own` is requested. Returns true if the component ended.
bool WatchEnds(const std::stop_token& own, const base::FileDescriptor& signals, int component, std::stop_source& stop) {
  constexpr int kLookMs = 100;
  std::array<pollfd, 2> wanted = {pollfd{.fd = signals.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = component, .events = POLLIN, .revents = 0}};
  while (!own.stop_requested()) {
    if (poll(wanted.data(), wanted.size(), kLookMs) <= 0) continue;
    stop.request_stop();
    return wanted[1].revents != 0;
  }
  return false;
}

int Failed(base::Logger& logger, const base::Status& error) {
  logger.Error("cannot start", {{"reason", error.message()}});
  return error.code() == base::StatusCode::kInvalidArgument ? kExitUsage : kExitFailed;
}

// Serves until a signal arrives or the component ends.
int ServeUntilEnd(AgentOptions options, ComponentProcess* component, const base::FileDescriptor& signals,
                  base::Logger& logger) {
  std::stop_source stop;
  std::atomic<bool> component_ended{false};
  std::jthread watching([&](const std::stop_token& own) {
    component_ended = WatchEnds(own, signals, component == nullptr ? -1 : component->handle(), stop);
  });
  if (component != nullptr) {
    const base::Status listening = component->AwaitListening(options.component, stop.get_token());
    if (listening.code() == base::StatusCode::kCancelled) return 0;
    if (!listening.ok()) return Failed(logger, listening);
  }
  auto agent = Agent::Start(std::move(options), logger, stop.get_token());
  if (!agent.has_value()) {
    return agent.error().code() == base::StatusCode::kCancelled ? 0 : Failed(logger, agent.error());
  }
  watching.join();
  if (component_ended) {
    logger.Error("the model server has ended");
  } else {
    (*agent)->Drain();
  }
  return 0;
}

int Serve(AgentOptions options) {
  const base::FileDescriptor signals = base::TakeEndSignals();
  auto logger = base::Logger::Create({});
  if (!logger.has_value()) {
    std::cerr << logger.error().message() << "\n";
    return kExitFailed;
  }
  std::unique_ptr<ComponentProcess> component;
  if (!options.command.empty()) {
    auto started = ComponentProcess::Start(options.command);
    if (!started.has_value()) return Failed(**logger, started.error());
    component = *std::move(started);
  }
  int status = ServeUntilEnd(std::move(options), component.get(), signals, **logger);
  if (component != nullptr) {
    const int left_with = component->End(kComponentGrace);
    if (status == 0) status = left_with;
  }
  (*logger)->Info("stopped");
  return status;
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
