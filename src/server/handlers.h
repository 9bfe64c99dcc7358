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

// What handlers work with. Everything outlives them.
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
  clientshm::Registry* regions = nullptr;         // of clients' shared memory; null: not served
  base::ProcessLoad* load = nullptr;              // null: it is not told to clients
  payloadlog::PayloadLog* payload_log = nullptr;  // null: there is none
};

// What is served where: makes each listener's handler for one loop, out of what the front-ends bring. Its methods are
// called on that loop; it outlives the handlers, and is immutable once it is made.
class Handlers final {
 public:
  Handlers(const config::ServerOptions& options, protocol::FrontEnds front_ends, HandlerServices services);

  // With gRPC beside it, if the options say so.
  std::unique_ptr<net::HttpHandler> Http(net::Loop& loop) const;
  std::unique_ptr<net::HttpHandler> Grpc(net::Loop& loop) const;
  std::unique_ptr<net::HttpHandler> Metrics(net::Loop& loop) const;

  // Those of every front-end. Thread-safe; this object outlives it.
  net::VitalRequest VitalRequests() const;

 private:
  protocol::Services ServicesOf(const net::Loop& loop, const access::Policy& access) const;
  // Every protocol over HTTP, by what it claims.
  std::unique_ptr<net::HttpHandler> Rest(net::Loop& loop) const;
  // Lets pages of the origins that the options name use it.
  std::unique_ptr<net::HttpHandler> WithCors(std::unique_ptr<net::HttpHandler> handler) const;
  // Gives the log of payloads what passes, if there is one.
  std::unique_ptr<net::HttpHandler> Logged(net::Loop& loop, std::unique_ptr<net::HttpHandler> handler) const;
  // What is no gRPC goes to `fallback`, if there is one.
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
