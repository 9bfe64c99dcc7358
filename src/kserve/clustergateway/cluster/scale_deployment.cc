#include "kserve/clustergateway/cluster/scale_deployment.h"

#include "kserve/clustergateway/cluster/resources.h"

namespace inferd::clustergateway {

using kubernetes::ApiResult;
using kubernetes::ObjectName;
using manifest::Value;

ScaleWriter::Write ScaleDeployments(kubernetes::Client& client) {
  return
      [&client](const ObjectName& deployment, const ScaleOrder& order, const std::stop_token& stop) -> ApiResult<void> {
        Value patch = Value::Map();
        if (!order.resource_version.empty()) {
          patch.MapAt("metadata").Set("resourceVersion", Value::String(order.resource_version));
        }
        patch.MapAt("spec").Set("replicas", Value::Int(order.replicas));
        const auto patched = client.Patch(Deployments(), deployment, kubernetes::PatchType::kMerge, patch,
                                          {.subresource = "scale", .field_manager = "inferd-gateway"}, stop);
        if (!patched.has_value()) return std::unexpected(patched.error());
        return {};
      };
}

}  // namespace inferd::clustergateway
