#include "protocols/access/from_here.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text/ascii_case.h"
#include "net/http/host.h"
#include "net/http/socket_owner.h"

namespace inferd::access {

namespace {

std::string NameOfThisMachine() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool WasPassedOn(const net::RequestHead& head) {
  constexpr std::string_view kPassedOn[] = {"Forwarded",         "X-Forwarded-For", "X-Forwarded-Host",
                                            "X-Forwarded-Proto", "X-Real-IP",       "Via"};
  return std::ranges::any_of(kPassedOn, [&head](std::string_view name) { return head.Find(name).has_value(); });
}

bool NamesThisMachine(std::string_view text) {
  const auto host = net::ParseHost(text);
  if (!host.has_value() || host->name.empty()) return false;
  if (host->kind != net::Host::Kind::kName) return net::IsLoopback(*host);
  const std::string_view name = host->name;
  constexpr std::string_view kBelowLocalhost = ".localhost";
  const size_t below = name.size() - std::min(name.size(), kBelowLocalhost.size());
  if (base::EqualWithoutCase(name, "localhost") || base::EqualWithoutCase(name.substr(below), kBelowLocalhost)) {
    return true;
  }
  const std::string own = NameOfThisMachine();
  return !own.empty() && base::EqualWithoutCase(name, own);
}

}  // namespace

bool IsFromMachine(const net::RequestHead& head) {
  if (head.over_unix_socket()) return IsFromSocket(head);
  if (!net::IsLoopback(head.peer) || WasPassedOn(head) || IsFromPage(head)) return false;
  const auto host = head.Find("Host");
  return !host.has_value() || NamesThisMachine(*host);
}

bool IsFromSocket(const net::RequestHead& head) {
  return head.over_unix_socket() && !WasPassedOn(head) && !IsFromPage(head);
}

base::Status CheckFromHere(const net::RequestHead& head) {
  if (IsFromSocket(head)) return base::OkStatus();
  if (!IsFromMachine(head)) return base::PermissionDenied("from another machine, or passed on");
  const auto own = net::IsOwnUsers(head);
  if (!own.has_value()) return base::PermissionDenied("whose process asks is not known: " + own.error().message());
  return *own ? base::OkStatus() : base::PermissionDenied("from a process of another user of this machine");
}

bool IsFromPage(const net::RequestHead& head) {
  if (head.Find("Origin").has_value()) return true;
  const auto site = head.Find("Sec-Fetch-Site");
  return site.has_value() && *site != "none" && *site != "same-origin";
}

}  // namespace inferd::access
