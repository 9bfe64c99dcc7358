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

// How this front-end answers. Set before the server starts; immutable and shared by every loop's methods afterwards.
struct Options : rpc::Options {
  bool tensor_content = false;  // outputs as tensor_content, not in the field of their type
  bool session_graph = false;   // SessionRun calls any of a model's graph
  bool check_methods = false;   // tfs::CheckMethod
  bool exact = false;           // errors in no other words than TensorFlow Serving's, where it has any
  tfs::Unready unready = tfs::Unready::kUnavailable;
  // Of one request: what its shapes ask for beyond the elements that it brings, the last of which stands for the rest.
  uint64_t fill_bytes_max = uint64_t{64} << 20;
  uint64_t context_bytes_max = uint64_t{1} << 30;  // of the context's features, repeated for every example
};

// What the methods work with. Everything is owned by the server's composition and outlives them, the loop's connections
// and every request in flight.
struct Environment {
  const Options& options;
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // big decoding and encoding
  base::Logger& logger;
  const base::Clock& clock;
  std::unique_ptr<tfs::RequestMetrics> metrics;  // of this loop
  tfs::RequestLog* request_log = nullptr;        // null: no calls are logged
  // Has the server serve what a serialized ModelServerConfig says, in place of what it served; answers on any thread.
  std::function<void(std::string_view config, core::ControlCallback done)> reload;
  // Thread-safe: what the counters of a name have come to, of all labels together. Null: there are none.
  std::function<uint64_t(std::string_view name)> counter_total = nullptr;
};

// TensorFlow Serving's gRPC API, for every model and for one loop: tensorflow.serving.PredictionService, ModelService
// and SessionService. Small requests are decoded, dispatched and encoded on the loop thread; what is big and has to be
// taken apart element by element goes by way of the pool.
std::vector<net::grpc::Method> Methods(Environment environment);

}  // namespace inferd::tfs_grpc
