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

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's methods.
struct Options : rpc::Options {
  trtis::ServerState* state = nullptr;  // never null; outlives the calls
};

// The environment of the methods. The server's composition owns everything. It must outlive them, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // for statuses, which read files
  base::Logger& logger;
  const base::Clock& clock;
  const std::atomic<bool>& draining;
};

inline constexpr char kService[] = "/nvidia.inferenceserver.GRPCService/";

// Returns the methods of nvidia.inferenceserver.GRPCService for one loop. Calls end with OK; their responses contain
// the result.
std::vector<net::grpc::Method> Methods(const Environment& environment);

}  // namespace inferd::trtis_grpc
