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

// What a front-end is made from. Both outlive it.
struct Settings {
  const config::ServerOptions& options;
  base::ByteBudget& outputs;  // what answers are charged to until clients have read them
};

// What a front-end's handlers and methods work with on one loop. Everything outlives them, the loop's connections and
// every request in flight.
struct Services {
  const access::Policy& access;  // of the transport: HTTP's or gRPC's
  core::Dispatcher& dispatcher;  // this loop's
  core::Catalog& catalog;
  base::Executor& pool;  // big decoding and encoding, control calls' files, the page of metrics
  base::Logger& logger;
  const base::Clock& clock;
  metrics::Registry& registry;
  const std::atomic<bool>& draining;
  tfs::RequestLog* request_log = nullptr;  // null: no calls are logged
  // Calls a model from inside the server, for an answer that needs several: core::ModelCaller::Call.
  std::function<void(std::unique_ptr<core::InferRequest> request, core::Completion completion)> call_model = nullptr;
  // Has the server serve what a serialized ModelServerConfig says, in place of what it served; answers on any thread.
  std::function<void(std::string_view config, core::ControlCallback done)> reload = nullptr;
  clientshm::Registry* regions = nullptr;  // of clients' shared memory; null: not served
  base::ProcessLoad* load = nullptr;       // null: it is not told to clients
};

// How access to a gRPC method is restricted.
struct MethodAccess {
  access::Group group = access::Group::kInference;
  std::optional<access::ControlCall> control = {};  // it may change what the server does: in which way
};

// One protocol, as the server sees it: the routes that it claims, the handlers and methods that answer them, and what
// the server must know of an endpoint before it is called. A front-end is a folder of src/protocols and a line of
// server/front_ends.cc. Immutable, thread-safe; outlives its handlers.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  // HTTP. Whether a request belongs to this protocol: the first front-end of the list that claims a request has it, and
  // what none claims goes to the last one that serves HTTP. Called once for each request, and again where the transport
  // refuses it.
  virtual bool Claims(const net::RequestHead& head) const {
    static_cast<void>(head);
    return false;
  }
  // The same, where that depends on the model that is asked for. Loop-bound; `models` is the loop's.
  virtual bool ClaimsFor(const net::RequestHead& head, core::Dispatcher& models) const {
    static_cast<void>(models);
    return Claims(head);
  }
  // The handler of one loop, loop-bound. Null: this protocol has no HTTP.
  virtual std::unique_ptr<net::HttpHandler> HttpHandler(const Services& services) const {
    static_cast<void>(services);
    return nullptr;
  }
  // What the listener of metrics serves; the first one that is not null.
  virtual std::unique_ptr<net::HttpHandler> MetricsHandler(const Services& services) const {
    static_cast<void>(services);
    return nullptr;
  }
  // How the transport refuses requests of this protocol; null: JSON {"error": text}.
  virtual net::RefusalForm refusal_form() const { return nullptr; }
  // Its answers say themselves which pages may read them: --http-cors-allow-origin is not for them.
  virtual bool has_own_cors() const { return false; }

  // gRPC. The methods of one loop. `known`: the names of the services of the front-ends before this one in the list.
  virtual std::vector<net::grpc::Method> GrpcMethods(const Services& services,
                                                     std::span<const std::string> known) const {
    static_cast<void>(services);
    static_cast<void>(known);
    return {};
  }
  // Of "/package.Service/Method"; nullopt: no method of this front-end.
  virtual std::optional<MethodAccess> AccessOf(std::string_view grpc_path) const {
    static_cast<void>(grpc_path);
    return std::nullopt;
  }

  // Whether a request is answered on a connection beyond the limit of connections, too: probes of health, and metrics.
  virtual bool IsVital(const net::RequestHead& head) const {
    static_cast<void>(head);
    return false;
  }
};

using FrontEnds = std::vector<std::unique_ptr<const FrontEnd>>;

}  // namespace inferd::protocol
