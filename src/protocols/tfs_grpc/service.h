#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "net/grpc/service.h"
#include "protocols/rpc/surroundings.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs/request_log.h"
#include "protocols/tfs/request_metrics.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::tfs_grpc {

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's methods.
struct Options : rpc::Options {
  bool tensor_content = false;  // outputs in tensor_content, not in the field of their type
  bool session_graph = false;   // SessionRun may run anything in a model's graph
  bool check_methods = false;   // see tfs::CheckMethod
  bool exact = false;           // use TensorFlow Serving's error texts only, if it has any
  tfs::Unready unready = tfs::Unready::kUnavailable;
  // For one request: the bytes by which its shapes exceed the elements that it has; the last element fills the rest.
  uint64_t fill_bytes_max = uint64_t{64} << 20;
  uint64_t context_bytes_max = uint64_t{1} << 30;  // of the context's features, repeated for every example
};

// The environment of the methods. The server's composition owns everything. It must outlive them, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // for big decoding and encoding
  base::Logger& logger;
  const base::Clock& clock;
  std::unique_ptr<tfs::RequestMetrics> metrics;  // of this loop
  tfs::RequestLog* request_log = nullptr;        // null if no calls are logged
  // Makes the server serve the models of a serialized ModelServerConfig, in place of the current ones. Answers on any
  // thread.
  std::function<void(std::string_view config, core::ControlCallback done)> reload;
  // Returns the sum of the counters of that name over all labels. Thread-safe. Null if there are no counters.
  std::function<uint64_t(std::string_view name)> counter_total = nullptr;
};

// Returns the methods of TensorFlow Serving's gRPC API for one loop: tensorflow.serving.PredictionService, ModelService
// and SessionService. Small requests are decoded, dispatched and encoded on the loop thread; big ones that must be
// decoded element by element use the pool.
std::vector<net::grpc::Method> Methods(Environment environment);

}  // namespace inferd::tfs_grpc
