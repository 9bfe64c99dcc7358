#include "server/grpc_services.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "access/group.h"
#include "frontends/grpc_health/health.h"
#include "frontends/grpc_reflection/reflection.h"

namespace inferd::server {

namespace {

using Methods = std::vector<net::grpc::Method>;

constexpr std::string_view kHealthService = "grpc.health.v1.Health";
// TensorFlow Serving's server knows its services' health by these names.
constexpr std::string_view kNamesWithoutPackage[] = {"ModelService", "PredictionService"};

void Append(Methods more, Methods& methods) { std::ranges::move(more, std::back_inserter(methods)); }

void Restrict(const access::Policy& policy, Methods& methods) {
  for (net::grpc::Method& method : methods) {
    const auto group = access::GroupOfGrpcMethod(method.path);
    if (!group.has_value()) continue;
    if (access::IsControlMethod(method.path) && policy.restricts_control(*group)) {
      method.admit = [&policy, group = *group](const net::RequestHead& head) {
        return policy.CheckControl(group, head);
      };
    } else if (policy.restricts(*group)) {
      method.admit = [&policy, group = *group](const net::RequestHead& head) { return policy.Check(group, head); };
    }
  }
}

}  // namespace

Methods GrpcMethods(oip_grpc::Environment oip, tfs_grpc::Environment tfs, grpc_health::Environment health,
                    const access::Policy& policy) {
  Methods methods = oip_grpc::Methods(oip);
  Append(tfs_grpc::Methods(std::move(tfs)), methods);
  health.services = ServiceNames(methods);
  health.services.emplace_back(kHealthService);
  health.services.insert(health.services.end(), std::begin(kNamesWithoutPackage), std::end(kNamesWithoutPackage));
  Append(grpc_health::Methods(std::move(health)), methods);
  Append(grpc_reflection::Methods(ServiceNames(methods)), methods);
  Restrict(policy, methods);
  return methods;
}

std::vector<std::string> ServiceNames(const Methods& methods) {
  std::vector<std::string> names;
  for (const net::grpc::Method& method : methods) {
    std::string name = method.path.substr(1, method.path.rfind('/') - 1);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace inferd::server
