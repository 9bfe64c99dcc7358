#include "kserve/clustergateway/run.h"

#include <poll.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "base/logging.h"
#include "base/system/end_signals.h"
#include "base/system/file_descriptor.h"
#include "kserve/clustergateway/command_line.h"

namespace inferd::clustergateway {

namespace {

constexpr int kExitFailed = 1;

std::string Environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? "" : value;
}

int Failed(base::Logger& logger, const base::Status& error) {
  logger.Error("cannot start", {{"reason", error.message()}});
  return error.code() == base::StatusCode::kInvalidArgument ? kExitUsage : kExitFailed;
}

void AwaitSignal(const base::FileDescriptor& signals) {
  pollfd wanted{.fd = signals.get(), .events = POLLIN, .revents = 0};
  while (poll(&wanted, 1, -1) <= 0) {
  }
}

int ServeGraph(GraphRouterOptions options, const base::FileDescriptor& signals, base::Logger& logger) {
  auto router = GraphRouter::Start(std::move(options), logger);
  if (!router.has_value()) return Failed(logger, router.error());
  AwaitSignal(signals);
  (*router)->Drain();
  return 0;
}

int ServeCluster(ClusterGatewayOptions options, const base::FileDescriptor& signals, base::Logger& logger) {
  auto gateway = ClusterGateway::Start(std::move(options), logger);
  if (!gateway.has_value()) return Failed(logger, gateway.error());
  (*gateway)->Run(signals.get());
  return 0;
}

}  // namespace

int Run(int argc, char** argv) {
  ParsedCommandLine parsed = ParseCommandLine(argc, argv, Environment);
  if (parsed.exit_status.has_value()) return *parsed.exit_status;
  const base::FileDescriptor signals = base::TakeEndSignals();
  auto logger = base::Logger::Create({});
  if (!logger.has_value()) {
    std::cerr << logger.error().message() << "\n";
    return kExitFailed;
  }
  const int status = parsed.cluster.has_value() ? ServeCluster(*std::move(parsed.cluster), signals, **logger)
                                                : ServeGraph(std::move(parsed.router), signals, **logger);
  if (status == 0) (*logger)->Info("stopped");
  return status;
}

}  // namespace inferd::clustergateway
