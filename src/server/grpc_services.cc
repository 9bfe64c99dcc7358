#include "server/grpc_services.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace inferd::server {

namespace {

using Methods = std::vector<net::grpc::Method>;

void Restrict(const protocol::FrontEnd& front_end, const access::Policy& policy, Methods& methods) {
  for (net::grpc::Method& method : methods) {
    const auto access = front_end.AccessOf(method.path);
    if (!access.has_value()) continue;
    if (access->control.has_value()) {
      method.admit = [&policy, group = access->group, control = *access->control](const net::RequestHead& head) {
        return policy.CheckControl(group, control, head);
      };
    } else if (policy.restricts(access->group)) {
      method.admit = [&policy, group = access->group](const net::RequestHead& head) {
        return policy.Check(group, head);
      };
    }
  }
}

}  // namespace

Methods GrpcMethods(const protocol::FrontEnds& front_ends, const protocol::Services& services) {
  Methods methods;
  for (const auto& front_end : front_ends) {
    Methods more = front_end->GrpcMethods(services, ServiceNames(methods));
    Restrict(*front_end, services.access, more);
    std::ranges::move(more, std::back_inserter(methods));
  }
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
