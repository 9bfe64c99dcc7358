#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "base/system/process_load.h"
#include "net/http/http.h"
#include "protocols/access/policy.h"
#include "protocols/clientshm/registry.h"
#include "protocols/oip_http/codec/options.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::oip_http {

// Returns the page of GET /metrics. Called on the pool.
using MetricsText = std::function<std::string()>;

// The environment of a handler. The server's composition owns everything. It must outlive the handler, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;  // which clients may call which endpoint
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // for big decoding and encoding, control calls' files, the metrics page
  base::Logger& logger;
  const base::Clock& clock;
  clientshm::Registry* regions = nullptr;  // of clients' shared memory; null if not supported
  base::ProcessLoad* load = nullptr;       // null if it is not shown to clients
  MetricsText metrics_text = nullptr;
};

// Returns the handler of Predict V2 over HTTP with Triton's extensions: one per loop, loop-bound. Small requests are
// decoded, dispatched and encoded on the loop thread; big or compressed ones use the pool.
std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment);

// Returns the handler of the metrics port: GET /metrics, and the server's health. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const Options& options, const access::Policy& access,
                                                     const core::Catalog& catalog, base::Executor& pool,
                                                     MetricsText metrics_text);

}  // namespace inferd::oip_http
