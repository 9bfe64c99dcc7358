#include "protocols/grpc_health/front_end.h"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "protocols/grpc_health/health.h"

namespace inferd::grpc_health {

namespace {

constexpr std::string_view kService = "grpc.health.v1.Health";
// TensorFlow Serving's server uses these names for its services' health.
constexpr std::string_view kNamesWithoutPackage[] = {"ModelService", "PredictionService"};

class GrpcHealth final : public protocol::FrontEnd {
 public:
  std::vector<net::grpc::Method> GrpcMethods(const protocol::Services& services,
                                             std::span<const std::string> known) const override {
    Environment environment{
        .catalog = services.catalog, .draining = services.draining, .services = {known.begin(), known.end()}};
    environment.services.emplace_back(kService);
    environment.services.insert(environment.services.end(), std::begin(kNamesWithoutPackage),
                                std::end(kNamesWithoutPackage));
    return Methods(std::move(environment));
  }

  std::optional<protocol::MethodAccess> AccessOf(std::string_view path) const override {
    if (!path.starts_with("/grpc.health.v1.Health/")) return std::nullopt;
    return protocol::MethodAccess{.group = access::Group::kHealth};
  }

  bool IsVital(const net::RequestHead& head) const override {
    return head.method == net::Method::kPost && head.target == "/grpc.health.v1.Health/Check";
  }
};

}  // namespace

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings&) {
  return std::make_unique<GrpcHealth>();
}

}  // namespace inferd::grpc_health
