#pragma once

#include <atomic>
#include <memory>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "net/http/http.h"
#include "protocols/access/policy.h"
#include "protocols/trtis_http/options.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::trtis_http {

// The environment of a handler. The server's composition owns everything. It must outlive the handler, the loop's
// connections and every request in flight.
struct Environment {
  const Options& options;
  const access::Policy& access;  // which clients may call which endpoint
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // for statuses, which read files
  base::Logger& logger;
  const base::Clock& clock;
  const std::atomic<bool>& draining;
};

// Returns the handler of the TensorRT Inference Server's API of 2018, for every model whose tensors it can describe:
// one per loop, loop-bound, for requests of its paths (IsOurs()).
std::unique_ptr<net::HttpHandler> MakeHandler(const Environment& environment);

}  // namespace inferd::trtis_http
