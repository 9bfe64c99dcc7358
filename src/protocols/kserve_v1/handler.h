#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "net/http/http.h"
#include "protocols/access/policy.h"
#include "protocols/kserve_v1/codec/options.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::kserve_v1 {

// Calls a model from inside the server: core::ModelCaller::Call.
using CallModel = std::function<void(std::unique_ptr<core::InferRequest>, core::Completion)>;

// The environment of a handler. The server's composition owns everything. It must outlive the handler, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;  // which clients may call which endpoint
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // for big decoding and encoding
  base::Logger& logger;
  const base::Clock& clock;
  CallModel call_model;  // for explainers
};

// Returns the handler of KServe's V1 data plane for every model: one per loop, loop-bound. Small requests are decoded,
// dispatched and encoded on the loop thread; big or compressed ones use the pool.
std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment);

}  // namespace inferd::kserve_v1
