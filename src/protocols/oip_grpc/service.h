#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "net/grpc/service.h"
#include "protocols/access/policy.h"
#include "protocols/clientshm/registry.h"
#include "protocols/rpc/surroundings.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"
#include "serving/core/request/response_flow.h"

namespace inferd::oip_grpc {

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's methods.
struct Options : rpc::Options {
  std::string server_name = "inferd";
  std::string server_version = "0.0.0";
  // Error of calls and tensors without such support
  std::string_view regions_disabled = "client shared memory is not served";
  bool triton_exact = false;  // behave exactly as Triton, even if it does less
  // Used if the request has no parameter `typed_contents`: typed outputs always, or if all inputs were typed.
  bool typed_outputs = false;
  bool typed_as_inputs = false;
  // For one ModelStreamInfer call; beyond it the client's window is closed. Less than a model's queue holds, so that
  // one stream cannot fill it.
  size_t stream_requests_max = 256;
  // For one of its requests to a model that gives many responses: the limit of those waiting for the client.
  core::ResponseFlow::Limits stream_flow = {};
};

// The environment of the methods. The server's composition owns everything. It must outlive them, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // for big decoding and encoding, load calls' files
  base::Logger& logger;
  const base::Clock& clock;
  clientshm::Registry* regions = nullptr;  // of clients' shared memory; null if not supported
};

// Returns the methods of inference.GRPCInferenceService for one loop: Predict V2, the Open Inference Protocol and
// Triton's extensions over gRPC. Small requests are decoded, dispatched and encoded on the loop thread; big typed ones
// use the pool. Clients' shared memory is UNIMPLEMENTED if it is not supported, and so are traces.
std::vector<net::grpc::Method> Methods(Environment environment);

}  // namespace inferd::oip_grpc
