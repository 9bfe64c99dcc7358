#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "net/http/http.h"
#include "protocols/access/policy.h"
#include "protocols/mlflow_http/codec/options.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::mlflow_http {

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
};

// Returns the model for a path without one: the option's, or the only one. NOT_FOUND if there are none, or several.
base::Result<std::string> ModelOf(const Environment& environment);

// Returns the handler of MLflow's scoring protocol for every model: one per loop, loop-bound. Small requests are
// decoded, dispatched and encoded on the loop thread; big or compressed ones use the pool.
std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment);

}  // namespace inferd::mlflow_http
