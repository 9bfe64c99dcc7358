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

// How this front-end answers. Set before the server starts; immutable and shared by every loop's methods afterwards.
struct Options : rpc::Options {
  std::string server_name = "inferd";
  std::string server_version = "0.0.0";
  std::string_view regions_disabled = "client shared memory is not served";  // what calls and tensors are told then
  bool triton_exact = false;  // as Triton, where that is less than what is said here otherwise
  // Where the request's parameter `typed_contents` does not say otherwise: always, or where all inputs came so.
  bool typed_outputs = false;
  bool typed_as_inputs = false;
  // Of one ModelStreamInfer call; the client's window is shut beyond it. Less than a model's queue holds, so that one
  // stream cannot fill it.
  size_t stream_requests_max = 256;
  // Of one of its requests to a model that gives many responses: what may wait for the client.
  core::ResponseFlow::Limits stream_flow = {};
};

// What the methods work with. Everything is owned by the server's composition and outlives them, the loop's connections
// and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // big decoding and encoding, load calls' files
  base::Logger& logger;
  const base::Clock& clock;
  clientshm::Registry* regions = nullptr;  // of clients' shared memory; null: not served
};

// inference.GRPCInferenceService: Predict V2, the Open Inference Protocol and Triton's extensions over gRPC, for one
// loop. Small requests are decoded, dispatched and encoded on the loop thread; big typed ones go by way of the pool.
// Clients' shared memory is UNIMPLEMENTED where it is not served, and so are traces.
std::vector<net::grpc::Method> Methods(Environment environment);

}  // namespace inferd::oip_grpc
