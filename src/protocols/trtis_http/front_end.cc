#include "protocols/trtis_http/front_end.h"

#include <utility>

#include "protocols/common_options.h"
#include "protocols/trtis_http/handler.h"
#include "protocols/trtis_http/nv_status.h"
#include "protocols/trtis_http/router.h"

namespace inferd::trtis_http {

namespace {

class TrtisHttp final : public protocol::FrontEnd {
 public:
  TrtisHttp(const protocol::Settings& settings, std::shared_ptr<trtis::ServerState> state) : state_(std::move(state)) {
    protocol::SetRestOptions(settings.options, options_);
    options_.outputs = &settings.outputs;
    options_.state = state_.get();
  }

  bool Claims(const net::RequestHead& head) const override { return IsOurs(head); }

  std::unique_ptr<net::HttpHandler> HttpHandler(const protocol::Services& services) const override {
    return MakeHandler({.options = options_,
                        .access = services.access,
                        .dispatcher = services.dispatcher,
                        .catalog = services.catalog,
                        .pool = services.pool,
                        .logger = services.logger,
                        .clock = services.clock,
                        .draining = services.draining});
  }

  net::RefusalForm refusal_form() const override { return TransportRefusal; }

  bool IsVital(const net::RequestHead& head) const override { return FindRoute(head).endpoint == Endpoint::kHealth; }

 private:
  const std::shared_ptr<trtis::ServerState> state_;
  Options options_;
};

}  // namespace

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings,
                                                       std::shared_ptr<trtis::ServerState> state) {
  return std::make_unique<TrtisHttp>(settings, std::move(state));
}

}  // namespace inferd::trtis_http
