#include "protocols/tfs_grpc/front_end.h"

#include <string>
#include <string_view>
#include <utility>

#include "config/personality.h"
#include "protocols/common_options.h"
#include "protocols/method_table.h"

namespace inferd::tfs_grpc {

namespace {

using access::Group;

// The groups are those of the REST API.
constexpr protocol::MethodRow kMethods[] = {
    {"PredictionService/Predict", {.group = Group::kInference}},
    {"PredictionService/Classify", {.group = Group::kInference}},
    {"PredictionService/Regress", {.group = Group::kInference}},
    {"PredictionService/MultiInference", {.group = Group::kInference}},
    {"PredictionService/GetModelMetadata", {.group = Group::kMetadata}},
    {"ModelService/GetModelStatus", {.group = Group::kHealth}},
    {"ModelService/HandleReloadConfigRequest",
     {.group = Group::kModelRepository, .control = access::ControlCall::kReload}},
    {"SessionService/SessionRun", {.group = Group::kInference}},
};

class TfsGrpc final : public protocol::FrontEnd {
 public:
  explicit TfsGrpc(const protocol::Settings& settings) : options_(OptionsOf(settings.options)) {}

  std::vector<net::grpc::Method> GrpcMethods(const protocol::Services& services,
                                             std::span<const std::string>) const override {
    return Methods({.options = options_,
                    .dispatcher = services.dispatcher,
                    .catalog = services.catalog,
                    .pool = services.pool,
                    .logger = services.logger,
                    .clock = services.clock,
                    .metrics = std::make_unique<tfs::RequestMetrics>(services.registry, "GRPC"),
                    .request_log = services.request_log,
                    .reload = services.reload,
                    .counter_total = [&registry = services.registry](std::string_view name) {
                      return registry.CounterTotal(name);
                    }});
  }

  std::optional<protocol::MethodAccess> AccessOf(std::string_view path) const override {
    return protocol::FindAccess(path, "/tensorflow.serving.", kMethods);
  }

 private:
  const Options options_;
};

}  // namespace

Options OptionsOf(const config::ServerOptions& options) {
  Options tfs;
  protocol::SetRpcOptions(options, tfs);
  tfs.tensor_content = options.tfs_grpc_tensor_content;
  tfs.session_graph = options.tfs_session_graph;
  tfs.check_methods = options.tfs_method_check;
  tfs.exact = options.personality->tfs_exact;
  if (tfs.exact) tfs.unready = tfs::Unready::kNotFound;
  tfs.context_bytes_max = options.limits.body_bytes_max;
  return tfs;
}

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings) {
  return std::make_unique<TfsGrpc>(settings);
}

}  // namespace inferd::tfs_grpc
