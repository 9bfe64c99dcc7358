#include "protocols/oip_grpc/front_end.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/version/version.h"
#include "config/personality.h"
#include "protocols/common_options.h"
#include "protocols/method_table.h"
#include "protocols/oip_grpc/service_path.h"

namespace inferd::oip_grpc {

namespace {

using access::ControlCall;
using access::Group;

constexpr protocol::MethodRow kMethods[] = {
    {"ServerLive", {.group = Group::kHealth}},
    {"ServerReady", {.group = Group::kHealth}},
    {"ModelReady", {.group = Group::kHealth}},
    {"ServerMetadata", {.group = Group::kMetadata}},
    {"ModelMetadata", {.group = Group::kMetadata}},
    {"ModelInfer", {.group = Group::kInference}},
    {"ModelStreamInfer", {.group = Group::kInference}},
    {"ModelConfig", {.group = Group::kModelConfig}},
    {"ModelStatistics", {.group = Group::kStatistics}},
    {"RepositoryIndex", {.group = Group::kModelRepository}},
    {"RepositoryModelLoad", {.group = Group::kModelRepository, .control = ControlCall::kByName}},
    {"RepositoryModelUnload", {.group = Group::kModelRepository, .control = ControlCall::kByName}},
    {"SystemSharedMemoryStatus", {.group = Group::kSharedMemory}},
    {"SystemSharedMemoryRegister", {.group = Group::kSharedMemory, .control = ControlCall::kOther}},
    {"SystemSharedMemoryUnregister", {.group = Group::kSharedMemory, .control = ControlCall::kOther}},
    {"CudaSharedMemoryStatus", {.group = Group::kSharedMemory}},
    {"CudaSharedMemoryRegister", {.group = Group::kSharedMemory, .control = ControlCall::kOther}},
    {"CudaSharedMemoryUnregister", {.group = Group::kSharedMemory, .control = ControlCall::kOther}},
    {"TraceSetting", {.group = Group::kTrace, .control = ControlCall::kOther}},
    {"LogSettings", {.group = Group::kLogging, .control = ControlCall::kOther}},
};

// The health probes.
constexpr std::array<std::string_view, 3> kVital = {"ModelReady", "ServerLive", "ServerReady"};

class OipGrpc final : public protocol::FrontEnd {
 public:
  explicit OipGrpc(const protocol::Settings& settings) : options_(OptionsOf(settings.options)) {}

  std::vector<net::grpc::Method> GrpcMethods(const protocol::Services& services,
                                             std::span<const std::string>) const override {
    return Methods({.options = options_,
                    .access = services.access,
                    .dispatcher = services.dispatcher,
                    .catalog = services.catalog,
                    .pool = services.pool,
                    .logger = services.logger,
                    .clock = services.clock,
                    .regions = services.regions});
  }

  std::optional<protocol::MethodAccess> AccessOf(std::string_view path) const override {
    return protocol::FindAccess(path, PathOf(""), kMethods);
  }

  bool IsVital(const net::RequestHead& head) const override {
    return head.method == net::Method::kPost &&
           std::ranges::any_of(kVital, [&head](std::string_view name) { return head.target == PathOf(name); });
  }

 private:
  const Options options_;
};

}  // namespace

Options OptionsOf(const config::ServerOptions& options) {
  Options oip;
  protocol::SetRpcOptions(options, oip);
  oip.server_name = options.server_name;
  oip.server_version = std::string(base::BuildVersion());
  oip.triton_exact = options.personality->triton_exact;
  if (oip.triton_exact) oip.regions_disabled = protocol::kTritonRegionsDisabled;
  oip.stream_flow = protocol::StreamFlowOf(options);
  oip.typed_as_inputs = options.personality->kserve_answers;
  oip.typed_outputs = options.grpc_calls.typed_outputs;
  return oip;
}

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings) {
  return std::make_unique<OipGrpc>(settings);
}

}  // namespace inferd::oip_grpc
