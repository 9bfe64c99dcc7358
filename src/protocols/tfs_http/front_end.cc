#include "protocols/tfs_http/front_end.h"

#include <utility>

#include "config/personality.h"
#include "protocols/common_options.h"
#include "protocols/tfs_http/handler.h"
#include "protocols/tfs_http/router.h"

namespace inferd::tfs_http {

namespace {

class TfsHttp final : public protocol::FrontEnd {
 public:
  explicit TfsHttp(const protocol::Settings& settings) : options_(OptionsOf(settings.options)) {
    options_.outputs = &settings.outputs;
  }

  bool Claims(const net::RequestHead& head) const override {
    if (!IsOurs(head, options_.metrics_path)) return false;
    return !options_.routes_only || FindRoute(head, options_.metrics_path).endpoint != Endpoint::kMalformed;
  }

  std::unique_ptr<net::HttpHandler> HttpHandler(const protocol::Services& services) const override {
    return MakeHandler({.options = options_,
                        .access = services.access,
                        .dispatcher = services.dispatcher,
                        .catalog = services.catalog,
                        .pool = services.pool,
                        .logger = services.logger,
                        .clock = services.clock,
                        .metrics = std::make_unique<tfs::RequestMetrics>(services.registry, "REST"),
                        .request_log = services.request_log,
                        .metrics_text = [&registry = services.registry] { return registry.PrometheusText(); }});
  }

  bool has_own_cors() const override { return options_.cors; }

  bool IsVital(const net::RequestHead& head) const override {
    if (head.method == net::Method::kPost || !Claims(head)) return false;
    const Endpoint endpoint = FindRoute(head, options_.metrics_path).endpoint;
    return endpoint == Endpoint::kStatus || endpoint == Endpoint::kMetrics;
  }

 private:
  Options options_;
};

}  // namespace

Options OptionsOf(const config::ServerOptions& options) {
  Options tfs;
  protocol::SetRestOptions(options, tfs);
  switch (options.v1_status) {
    case config::V1Status::kUnion: tfs.v1_status = V1Status::kUnion; break;
    case config::V1Status::kTfs: tfs.v1_status = V1Status::kTfs; break;
    case config::V1Status::kKserve: tfs.v1_status = V1Status::kKserve; break;
  }
  switch (options.tfs_result_key) {
    case config::TfsResultKey::kBoth: tfs.result_key = ResultKey::kBoth; break;
    case config::TfsResultKey::kResult: tfs.result_key = ResultKey::kResult; break;
    case config::TfsResultKey::kResults: tfs.result_key = ResultKey::kResults; break;
  }
  tfs.cors = options.tfs_cors;
  tfs.check_methods = options.tfs_method_check;
  tfs.metrics_path = options.tfs_metrics_path;
  tfs.routes_only = options.personality->kserve_answers;
  tfs.exact = options.personality->tfs_exact;
  return tfs;
}

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings) {
  return std::make_unique<TfsHttp>(settings);
}

}  // namespace inferd::tfs_http
