#pragma once

#include <optional>
#include <vector>

#include "config/options/served_model.h"
#include "config/options/server_options.h"
#include "net/grpc/handler.h"
#include "net/http/limits.h"
#include "net/server.h"
#include "protocols/clientshm/registry.h"
#include "serving/core/inflight_limit.h"
#include "serving/repository/manager_options.h"
#include "serving/scheduling/scheduler_options.h"

// Converts the operator's options to those of each room. Rooms know neither each other nor the complete options.

namespace inferd::server {

core::InflightLimit::Bounds InflightBounds(const config::LimitOptions& limits);
uint64_t OutputBytesMax(const config::LimitOptions& limits);
clientshm::Limits RegionLimits(const config::ClientMemoryOptions& memory);
net::Limits NetLimits(const config::LimitOptions& limits, const config::GrpcKeepaliveOptions& keepalive);
// Returns the listener's options without handlers, which the caller must set.
net::ListenerOptions Listener(std::string name, const config::ListenerOptions& listener);
net::ListenerOptions UnixListener(std::string name, const config::ListenerOptions& listener,
                                  const config::Personality& personality);
net::grpc::Options GrpcOptions(const config::ServerOptions& options);
// `served` are the models that are listed by name, if any.
repository::ManagerOptions ManagerOptionsOf(const config::ServerOptions& options,
                                            std::optional<std::vector<config::ServedModel>> served);
// Returns the number of compute threads of the process, at least 1.
int CpuThreads(const config::ServerOptions& options);
// Returns how many of them may compute at the same time before executions must wait. 0 for no limit.
int CpuThreadsAtOnce(const config::ServerOptions& options);
scheduling::SchedulerOptions SchedulerOptions(const config::ServerOptions& options);

}  // namespace inferd::server
