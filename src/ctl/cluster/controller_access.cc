#include "ctl/cluster/controller_access.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text/ascii_case.h"
#include "kserve/kubernetes/access/local_access.h"
#include "net/client/url.h"
#include "net/http/host.h"

namespace inferd::ctl {

namespace {

constexpr uint16_t kUsualPort = 8079;
constexpr const char* kAuthorization = "Authorization";
constexpr const char* kHowToName =
    ": name it with --controller http://127.0.0.1:PORT, or take the line `export KUBECONFIG=...` that it has printed";

bool IsThisMachine(const net::Url& url) {
  return base::EqualWithoutCase(url.host, "localhost") || net::IsLoopback(url.Authority());
}

void UseLocal(const kubernetes::ClusterAccess& local, ControllerAccess& access) {
  if (kubernetes::IsServed(local.unix_socket)) {
    access.connection.url = "http://localhost";
    access.connection.unix_socket = local.unix_socket;
    return;
  }
  access.connection.url = local.server;
  access.connection.authorities = local.authorities;
  const bool authorized = std::ranges::any_of(
      access.headers, [](const auto& header) { return base::EqualWithoutCase(header.first, kAuthorization); });
  if (!authorized && !local.user.token.empty())
    access.headers.emplace_back(kAuthorization, "Bearer " + local.user.token);
}

}  // namespace

base::Result<ControllerAccess> FindController(const std::string& controller, ControllerAccess given) {
  given.connection.url = controller;
  if (!given.connection.unix_socket.empty()) {
    if (controller.empty()) given.connection.url = "http://localhost";
    return given;
  }
  if (controller.empty()) {
    const auto local = kubernetes::FindLocalAccessInUse(kUsualPort);
    if (local.has_value()) {
      UseLocal(*local, given);
      return given;
    }
    const base::Status& error = local.error();
    if (error.code() == base::StatusCode::kNotFound) {
      return std::unexpected(base::Unavailable(std::string(error.message()) +
                                               " on this machine: start one with "
                                               "inferd-controller --local, or name another with --controller URL"));
    }
    if (error.code() != base::StatusCode::kFailedPrecondition) return std::unexpected(error);
    return std::unexpected(base::FailedPrecondition(std::string(error.message()) + kHowToName));
  }
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(controller));
  if (!IsThisMachine(url) || !url.path.empty()) return given;
  const auto local = kubernetes::FindLocalAccess(url.port);
  if (local.has_value()) {
    UseLocal(*local, given);
  } else if (local.error().code() != base::StatusCode::kNotFound) {
    return std::unexpected(local.error());
  }
  return given;
}

}  // namespace inferd::ctl
