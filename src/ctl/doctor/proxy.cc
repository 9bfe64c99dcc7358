#include "ctl/doctor/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "base/text/printable.h"

namespace inferd::ctl {

namespace {

constexpr size_t kShownBytesMax = 200;

struct NamedVariable {
  std::string name, value;
};

// Returns the first variable that is set.
std::optional<NamedVariable> FirstSet(const std::vector<const char*>& names, const VariableLookup& variable) {
  for (const char* name : names) {
    if (std::string value = variable(name); !value.empty()) return NamedVariable{name, std::move(value)};
  }
  return std::nullopt;
}

// Returns the URL without its user and password.
std::string WithoutUser(const std::string& url) {
  const size_t scheme = url.find("://");
  const size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const size_t end = url.find('/', begin);
  const size_t at = url.rfind('@', end);
  const bool has_user = at != std::string::npos && at >= begin;
  return base::Printable(has_user ? url.substr(0, begin) + url.substr(at + 1) : url, kShownBytesMax);
}

std::optional<uint32_t> Ipv4(std::string_view text) {
  in_addr address{};
  if (::inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

// Returns true if the network "ADDRESS/BITS" has the address.
bool IsInNetwork(std::string_view network, std::string_view host) {
  const size_t slash = network.find('/');
  if (slash == std::string_view::npos) return false;
  int bits = 0;
  const std::string_view length = network.substr(slash + 1);
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
  const auto base_address = Ipv4(network.substr(0, slash));
  const auto address = Ipv4(host);
  if (error != std::errc() || bits < 0 || bits > 32 || !base_address || !address) return false;
  const uint32_t mask = bits == 0 ? 0 : UINT32_MAX << (32 - bits);
  return (*base_address & mask) == (*address & mask);
}

bool Exempts(std::string_view entry, std::string_view host) {
  if (entry == "*") return true;
  if (IsInNetwork(entry, host)) return true;
  // A port after the name. An IPv6 address has several colons, and brackets if a port follows.
  if (entry.starts_with('[')) {
    entry = entry.substr(1, entry.find(']') - 1);
  } else if (const size_t colon = entry.find(':'); colon != std::string_view::npos && colon == entry.rfind(':')) {
    entry = entry.substr(0, colon);
  }
  while (entry.starts_with('.')) entry.remove_prefix(1);
  if (entry.empty() || !host.ends_with(entry)) return false;
  return host.size() == entry.size() || host[host.size() - entry.size() - 1] == '.';
}

}  // namespace

bool IsExempt(std::string_view no_proxy, std::string_view host) {
  while (!no_proxy.empty()) {
    const size_t end = no_proxy.find_first_of(", \t");
    if (end != 0 && Exempts(no_proxy.substr(0, end), host)) return true;
    no_proxy.remove_prefix(end == std::string_view::npos ? no_proxy.size() : end + 1);
  }
  return false;
}

Finding JudgeProxy(const std::string& host, bool tls, const VariableLookup& variable) {
  using enum Finding::Level;
  const std::vector<const char*> names =
      tls ? std::vector<const char*>{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}
          : std::vector<const char*>{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
  const auto proxy = FirstSet(names, variable);
  if (!proxy.has_value()) return {"proxy", kOk, "no variable sends requests to a proxy"};
  const auto exempt = FirstSet({"no_proxy", "NO_PROXY"}, variable);
  const std::string list = exempt.has_value() ? exempt->value : "";
  std::string missing;
  std::string example = host;
  for (const std::string& each : {host, std::string("localhost"), std::string("127.0.0.1")}) {
    if (IsExempt(list, each) || ("," + missing + ",").contains("," + each + ",")) continue;
    if (missing.empty()) example = each;
    missing += (missing.empty() ? "" : ",") + each;
  }
  const std::string name = exempt.has_value() ? exempt->name : "no_proxy";
  if (missing.empty()) return {"proxy", kOk, proxy->name + " is set, and " + name + " exempts the server"};
  return {"proxy", kProblem,
          proxy->name + " sends requests for " + example + " to " + WithoutUser(proxy->value) +
              ". inferctl ignores it, but curl and most clients do not",
          "export " + name + "=" + (list.empty() ? "" : "$" + name + ",") + missing};
}

}  // namespace inferd::ctl
