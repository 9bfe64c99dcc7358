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

// The operator's options in each room's own terms: the rooms do not know each other, nor the options as a whole.

namespace inferd::server {

core::InflightLimit::Bounds InflightBounds(const config::LimitOptions& limits);
uint64_t OutputBytesMax(const config::LimitOptions& limits);
clientshm::Limits RegionLimits(const config::ClientMemoryOptions& memory);
net::Limits NetLimits(const config::LimitOptions& limits, const config::GrpcKeepaliveOptions& keepalive);
// Without handlers, which are the caller's.
net::ListenerOptions Listener(std::string name, const config::ListenerOptions& listener);
net::ListenerOptions UnixListener(std::string name, const config::ListenerOptions& listener,
                                  const config::Personality& personality);
net::grpc::Options GrpcOptions(const config::ServerOptions& options);
// `served`: the models that are named.
repository::ManagerOptions ManagerOptionsOf(const config::ServerOptions& options,
                                            std::optional<std::vector<config::ServedModel>> served);
// Compute threads of the whole process, at least 1.
int CpuThreads(const config::ServerOptions& options);
// How many of them may compute at once, before executions wait for each other; 0: any number.
int CpuThreadsAtOnce(const config::ServerOptions& options);
scheduling::SchedulerOptions SchedulerOptions(const config::ServerOptions& options);

}  // namespace inferd::server
