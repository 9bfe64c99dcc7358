#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_budget.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/system/process_load.h"
#include "config/options/server_options.h"
#include "net/grpc/service.h"
#include "net/http/http.h"
#include "protocols/access/group.h"
#include "protocols/access/policy.h"
#include "protocols/clientshm/registry.h"
#include "protocols/tfs/request_log.h"
#include "serving/core/dispatcher.h"
#include "serving/core/model/catalog.h"

namespace inferd::protocol {

// The settings of a front-end. Both must outlive it.
struct Settings {
  const config::ServerOptions& options;
  base::ByteBudget& outputs;  // budget for responses that clients have not read yet
};

// The environment of a front-end's handlers and methods on one loop. Everything must outlive them, the loop's
// connections and every request in flight.
struct Services {
  const access::Policy& access;  // of the transport: HTTP's or gRPC's
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // for big decoding and encoding, control calls' files, the page of metrics
  base::Logger& logger;
  const base::Clock& clock;
  metrics::Registry& registry;
  const std::atomic<bool>& draining;
  tfs::RequestLog* request_log = nullptr;  // null if no calls are logged
  // Calls a model from inside the server, for a response that needs several calls: core::ModelCaller::Call.
  std::function<void(std::unique_ptr<core::InferRequest> request, core::Completion completion)> call_model = nullptr;
  // Makes the server serve the models of a serialized ModelServerConfig, in place of the current ones. Answers on any
  // thread.
  std::function<void(std::string_view config, core::ControlCallback done)> reload = nullptr;
  clientshm::Registry* regions = nullptr;  // of clients' shared memory; null if not supported
  base::ProcessLoad* load = nullptr;       // null if it is not shown to clients
};

// The access rule of a gRPC method.
struct MethodAccess {
  access::Group group = access::Group::kInference;
  std::optional<access::ControlCall> control = {};  // how it may change the server's state, if it may
};

// One protocol as the server sees it: the routes that it claims, the handlers and methods that answer them, and the
// facts about an endpoint that the server needs before a call. A front-end is a folder of src/protocols and a line of
// server/front_ends.cc. Immutable, thread-safe; outlives its handlers.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  // HTTP. Returns true if a request belongs to this protocol. The first front-end in the list that claims a request
  // gets it; unclaimed requests go to the last one that serves HTTP. Called once for each request, and again if the
  // transport refuses it.
  virtual bool Claims(const net::RequestHead& head) const {
    static_cast<void>(head);
    return false;
  }
  // Does the same if it depends on the requested model. Loop-bound; `models` is the loop's.
  virtual bool ClaimsFor(const net::RequestHead& head, core::Dispatcher& models) const {
    static_cast<void>(models);
    return Claims(head);
  }
  // Returns the handler of one loop, loop-bound. Null if this protocol does not use HTTP.
  virtual std::unique_ptr<net::HttpHandler> HttpHandler(const Services& services) const {
    static_cast<void>(services);
    return nullptr;
  }
  // Returns the handler of the metrics listener; the first non-null one is used.
  virtual std::unique_ptr<net::HttpHandler> MetricsHandler(const Services& services) const {
    static_cast<void>(services);
    return nullptr;
  }
  // Returns the form of the transport's refusals for this protocol. Null for JSON {"error": text}.
  virtual net::RefusalForm refusal_form() const { return nullptr; }
  // True if its responses have their own CORS headers: --http-cors-allow-origin does not apply.
  virtual bool has_own_cors() const { return false; }

  // gRPC. Returns the methods of one loop. `known` has the names of the services of the earlier front-ends in the list.
  virtual std::vector<net::grpc::Method> GrpcMethods(const Services& services,
                                                     std::span<const std::string> known) const {
    static_cast<void>(services);
    static_cast<void>(known);
    return {};
  }
  // Returns the access rule of "/package.Service/Method". nullopt if it is not a method of this front-end.
  virtual std::optional<MethodAccess> AccessOf(std::string_view grpc_path) const {
    static_cast<void>(grpc_path);
    return std::nullopt;
  }

  // True if the request is answered even on a connection beyond the limit of connections, like probes of health and
  // metrics.
  virtual bool IsVital(const net::RequestHead& head) const {
    static_cast<void>(head);
    return false;
  }
};

using FrontEnds = std::vector<std::unique_ptr<const FrontEnd>>;

}  // namespace inferd::protocol
