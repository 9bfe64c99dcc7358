#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_budget.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/system/process_load.h"
#include "config/options/server_options.h"
#include "net/grpc/call_metrics.h"
#include "net/grpc/handler.h"
#include "net/http/http.h"
#include "net/http/over_limit_handler.h"
#include "net/payloadlog/payload_log.h"
#include "protocols/clientshm/registry.h"
#include "protocols/front_end.h"
#include "protocols/rest/options.h"
#include "server/access_policies.h"
#include "server/records/request_logs.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"
#include "serving/core/model_caller.h"

namespace inferd::server {

// The dependencies of the handlers. All must outlive them.
struct HandlerServices {
  const AccessPolicies& access;
  core::Catalog& catalog;
  std::vector<std::unique_ptr<core::Dispatcher>> dispatchers;  // by loop index
  base::Executor& pool;
  base::Logger& logger;
  const base::Clock& clock;
  metrics::Registry& registry;
  const core::ModelCaller& models;
  RequestLogs& request_logs;
  const std::atomic<bool>& draining;
  clientshm::Registry* regions = nullptr;         // clients' shared memory; null if not served
  base::ProcessLoad* load = nullptr;              // null if clients do not receive the load
  payloadlog::PayloadLog* payload_log = nullptr;  // null if payloads are not logged
};

// Creates the handlers of listeners from the front-ends. The caller must call its methods on the handler's loop. It
// must outlive the handlers. Immutable.
class Handlers final {
 public:
  Handlers(const config::ServerOptions& options, protocol::FrontEnds front_ends, HandlerServices services);

  // Creates the handler for HTTP, with gRPC on the same port if the options say so.
  std::unique_ptr<net::HttpHandler> Http(net::Loop& loop) const;
  std::unique_ptr<net::HttpHandler> Grpc(net::Loop& loop) const;
  std::unique_ptr<net::HttpHandler> Metrics(net::Loop& loop) const;

  // Returns the vital requests of all front-ends. Thread-safe. This object must outlive the result.
  net::VitalRequest VitalRequests() const;

 private:
  protocol::Services ServicesOf(const net::Loop& loop, const access::Policy& access) const;
  // Creates the handler for all protocols over HTTP; each front-end claims its requests.
  std::unique_ptr<net::HttpHandler> Rest(net::Loop& loop) const;
  // Adds CORS, for the origins that the options name.
  std::unique_ptr<net::HttpHandler> WithCors(std::unique_ptr<net::HttpHandler> handler) const;
  // Adds the payload log, if there is one.
  std::unique_ptr<net::HttpHandler> Logged(net::Loop& loop, std::unique_ptr<net::HttpHandler> handler) const;
  // Creates the handler for gRPC. Other requests go to `fallback`, if there is one.
  std::unique_ptr<net::HttpHandler> Grpc(net::Loop& loop, std::unique_ptr<net::HttpHandler> fallback) const;

  const HandlerServices services_;
  const protocol::FrontEnds front_ends_;
  const bool grpc_on_http_port_;
  const std::vector<std::string> cors_origins_;
  const rest::Options cors_options_;
  const net::grpc::Options grpc_options_;
  const std::unique_ptr<net::grpc::CallMetrics> call_metrics_;
};

}  // namespace inferd::server
