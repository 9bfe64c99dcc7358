#include "protocols/grpc_reflection/front_end.h"

#include "protocols/grpc_reflection/reflection.h"

namespace inferd::grpc_reflection {

namespace {

class GrpcReflection final : public protocol::FrontEnd {
 public:
  std::vector<net::grpc::Method> GrpcMethods(const protocol::Services&,
                                             std::span<const std::string> known) const override {
    return Methods({known.begin(), known.end()});
  }

  // The list of callable methods is metadata too.
  std::optional<protocol::MethodAccess> AccessOf(std::string_view path) const override {
    if (!path.starts_with("/grpc.reflection.")) return std::nullopt;
    return protocol::MethodAccess{.group = access::Group::kMetadata};
  }
};

}  // namespace

std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings&) {
  return std::make_unique<GrpcReflection>();
}

}  // namespace inferd::grpc_reflection
