#include "base/text/masking.h"

#include <algorithm>

namespace inferd::base {

namespace {

constexpr size_t kPartBytesMin = 8;

// Returns the number of bytes at the start of `text` that are the secret or its beginning.
size_t SecretBytes(std::string_view text, std::string_view secret) {
  const auto [in_text, in_secret] = std::ranges::mismatch(text, secret);
  const auto same = static_cast<size_t>(in_secret - secret.begin());
  return same == secret.size() || same >= kPartBytesMin ? same : 0;
}

}  // namespace

std::string ShownUri(std::string_view uri) {
  const size_t parameters = uri.find('?');
  std::string shown(uri.substr(0, parameters));
  const size_t scheme = shown.find("://");
  if (scheme != std::string::npos) {
    const size_t host = scheme + 3;
    const size_t user = shown.rfind('@', shown.find('/', host));
    if (user != std::string::npos && user >= host) shown.erase(host, user + 1 - host);
  }
  if (parameters != std::string_view::npos) shown += "?...";
  return shown;
}

std::string Masked(std::string_view text, std::span<const std::string> secrets) {
  std::string masked;
  while (!text.empty()) {
    size_t hidden = 0;
    for (const std::string& secret : secrets) hidden = std::max(hidden, SecretBytes(text, secret));
    masked += hidden > 0 ? "..." : std::string(1, text.front());
    text.remove_prefix(std::max<size_t>(hidden, 1));
  }
  return masked;
}

}  // namespace inferd::base
