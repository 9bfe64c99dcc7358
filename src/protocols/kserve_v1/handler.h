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

// What a handler works with. Everything is owned by the server's composition and outlives the handler, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;  // which clients may call which endpoint
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // big decoding and encoding
  base::Logger& logger;
  const base::Clock& clock;
  CallModel call_model;  // for explainers
};

// KServe's V1 data plane, for every model: one handler per loop, loop-bound. Small requests are decoded, dispatched and
// encoded on the loop thread; what is big or compressed goes by way of the pool.
std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment);

}  // namespace inferd::kserve_v1
