#pragma once

#include <atomic>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "net/grpc/service.h"
#include "protocols/access/policy.h"
#include "protocols/rpc/surroundings.h"
#include "protocols/trtis/server_state.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::trtis_grpc {

// How this front-end answers. Set before the server starts; immutable and shared by every loop's methods afterwards.
struct Options : rpc::Options {
  trtis::ServerState* state = nullptr;  // never null; outlives the calls
};

// What the methods work with. Everything is owned by the server's composition and outlives them, the loop's connections
// and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // statuses, which read files
  base::Logger& logger;
  const base::Clock& clock;
  const std::atomic<bool>& draining;
};

inline constexpr char kService[] = "/nvidia.inferenceserver.GRPCService/";

// nvidia.inferenceserver.GRPCService for one loop. Calls end with OK, and their answers say how they ended.
std::vector<net::grpc::Method> Methods(const Environment& environment);

}  // namespace inferd::trtis_grpc
