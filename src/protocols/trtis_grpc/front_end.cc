#include "protocols/trtis_grpc/front_end.h"

#include <utility>

#include "protocols/common_options.h"
#include "protocols/method_table.h"
#include "protocols/trtis_grpc/service.h"

namespace inferd::trtis_grpc {

namespace {

using access::Group;

// The groups are those of HTTP.
constexpr protocol::MethodRow kMethods[] = {
    {"Status", {.group = Group::kMetadata}},       {"Profile", {.group = Group::kTrace}},
    {"Health", {.group = Group::kHealth}},         {"Infer", {.group = Group::kInference}},
    {"InferStream", {.group = Group::kInference}},
};

class TrtisGrpc final : public protocol::FrontEnd {
 public:
  TrtisGrpc(const protocol::Settings& settings, std::shared_ptr<trtis::ServerState> state) : state_(std::move(state)) {
    protocol::SetRpcOptions(settings.options, options_);
    options_.state = state_.get();
  }

  std::vector<net::grpc::Method> GrpcMethods(const protocol::Services& services,
                                             std::span<const std::string>) const override {
    return Methods({.options = options_,
                    .access = services.access,
                    .dispatcher = services.dispatcher,
                    .catalog = services.catalog,
                    .pool = services.pool,
                    .logger = services.logger,
                    .clock = services.clock,
                    .draining = services.draining});
  }

  std::optional<protocol::MethodAccess> AccessOf(std::string_view path) const override {
    return protocol::FindAccess(path, kService, kMethods);
  }

 private:
  const std::shared_ptr<trtis::ServerState> state_;
  Options options_;
};

}  // namespace

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings,
                                                       std::shared_ptr<trtis::ServerState> state) {
  return std::make_unique<TrtisGrpc>(settings, std::move(state));
}

}  // namespace inferd::trtis_grpc
