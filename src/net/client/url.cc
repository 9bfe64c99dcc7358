#include "net/client/url.h"

#include <charconv>

#include "base/text/masking.h"

namespace inferd::net {

namespace {

// Returns the error, with the URL shown without a user's password and without parameters, which may be the invalid
// part.
base::Status BadUrl(std::string_view text, std::string_view why) {
  const std::string_view scheme = text.contains("://") ? "" : "http://";
  const std::string shown = base::ShownUri(std::string(scheme) + std::string(text)).substr(scheme.size());
  return base::InvalidArgument("'" + shown + "' is not a server's URL (" + std::string(why) +
                               "); expected http://HOST:PORT or https://HOST:PORT");
}

bool ParsePort(std::string_view text, uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

}  // namespace

std::string Url::Authority() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string Url::ToString() const { return (tls ? "https://" : "http://") + Authority() + path; }

base::Result<Url> ParseUrl(std::string_view text) {
  Url url;
  std::string_view rest = text;
  if (const size_t scheme_end = rest.find("://"); scheme_end != std::string_view::npos) {
    const std::string_view scheme = rest.substr(0, scheme_end);
    if (scheme != "http" && scheme != "https") return std::unexpected(BadUrl(text, "unknown scheme"));
    url.tls = scheme == "https";
    rest.remove_prefix(scheme_end + 3);
  }
  url.port = url.tls ? 443 : 80;
  if (rest.find_first_of("@?# \t\r\n") != std::string_view::npos) {
    return std::unexpected(BadUrl(text, "a character that has no place in it"));
  }
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    url.path = rest.substr(slash);
    while (!url.path.empty() && url.path.back() == '/') url.path.pop_back();
    rest = rest.substr(0, slash);
  }
  size_t host_end = rest.find(':');
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return std::unexpected(BadUrl(text, "no closing bracket"));
    url.host = rest.substr(1, close - 1);
    host_end = close + 1;
    if (host_end == rest.size()) host_end = std::string_view::npos;
  } else {
    url.host = rest.substr(0, host_end);
  }
  if (url.host.empty()) return std::unexpected(BadUrl(text, "no host"));
  if (host_end != std::string_view::npos &&
      (rest[host_end] != ':' || !ParsePort(rest.substr(host_end + 1), url.port))) {
    return std::unexpected(BadUrl(text, "bad port"));
  }
  return url;
}

}  // namespace inferd::net
