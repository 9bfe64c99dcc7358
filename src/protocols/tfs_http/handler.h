#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "net/http/http.h"
#include "protocols/access/policy.h"
#include "protocols/tfs/request_log.h"
#include "protocols/tfs/request_metrics.h"
#include "protocols/tfs_http/codec/options.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::tfs_http {

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
  std::unique_ptr<tfs::RequestMetrics> metrics;  // of this loop
  tfs::RequestLog* request_log = nullptr;        // null if no calls are logged
  std::function<std::string()> metrics_text;     // returns the page of metrics; called on the pool
};

// Returns the handler of TensorFlow Serving's REST API for every model: one per loop, loop-bound, for requests of its
// paths (IsOurs()). Small requests are decoded, dispatched and encoded on the loop thread; big or compressed ones use
// the pool.
std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment);

}  // namespace inferd::tfs_http
