#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "config/server_options.h"
#include "core/catalog.h"
#include "core/dispatcher.h"
#include "frontends/oip_http/options.h"
#include "metrics/registry.h"
#include "net/http.h"
#include "server/access_policies.h"

namespace inferd::server {

// What handlers work with. Everything outlives them.
struct HandlerServices {
  const AccessPolicies& access;
  core::Catalog& catalog;
  std::vector<std::unique_ptr<core::Dispatcher>> dispatchers;  // by loop index
  base::Executor& pool;
  base::Logger& logger;
  const base::Clock& clock;
  metrics::Registry& registry;
};

// What is served where: makes each listener's handler for one loop. Its methods are called on that loop; it outlives the
// handlers, and is immutable once it is made.
class Handlers final {
 public:
  Handlers(const config::ServerOptions& options, HandlerServices services);

  std::unique_ptr<net::HttpHandler> Http(net::Loop& loop) const;
  std::unique_ptr<net::HttpHandler> Metrics(net::Loop& loop) const;

 private:
  const HandlerServices services_;
  const oip_http::Options oip_http_options_;
};

}  // namespace inferd::server
