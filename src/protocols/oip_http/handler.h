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

// The page of GET /metrics. Called on the pool.
using MetricsText = std::function<std::string()>;

// What a handler works with. Everything is owned by the server's composition and outlives the handler, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;  // which clients may call which endpoint
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // big decoding and encoding, control calls' files, the metrics page
  base::Logger& logger;
  const base::Clock& clock;
  clientshm::Registry* regions = nullptr;  // of clients' shared memory; null: not served
  base::ProcessLoad* load = nullptr;       // null: it is not told to clients
  MetricsText metrics_text = nullptr;
};

// Predict V2 over HTTP with Triton's extensions: one handler per loop, loop-bound. Small requests are decoded,
// dispatched and encoded on the loop thread; what is big or compressed goes by way of the pool.
std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment);

// The metrics port's: GET /metrics, and the server's health. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const Options& options, const access::Policy& access,
                                                     const core::Catalog& catalog, base::Executor& pool,
                                                     MetricsText metrics_text);

}  // namespace inferd::oip_http
