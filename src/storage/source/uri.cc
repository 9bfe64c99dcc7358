#include "storage/source/uri.h"

#include <algorithm>

namespace inferd::storage {

namespace {

constexpr std::string_view kPvcScheme = "pvc://";
constexpr std::string_view kPvcMount = "/mnt/pvc";
constexpr int kHexBase = 16;

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

int HexValue(char c) {
  constexpr int kTen = 10;
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + kTen;
  if (c >= 'A' && c <= 'F') return c - 'A' + kTen;
  return -1;
}

}  // namespace

UriParts SplitUri(std::string_view uri) {
  UriParts parts;
  uri = uri.substr(0, uri.find('#'));
  if (const size_t query = uri.find('?'); query != std::string_view::npos) {
    parts.query = uri.substr(query + 1);
    uri = uri.substr(0, query);
  }
  const size_t scheme = uri.find("://");
  if (scheme == std::string_view::npos) {
    parts.path = uri;
    return parts;
  }
  parts.scheme = uri.substr(0, scheme);
  uri.remove_prefix(scheme + 3);
  const size_t path = std::min(uri.find('/'), uri.size());
  parts.path = uri.substr(path);
  parts.authority = uri.substr(0, path);
  parts.host = parts.authority.substr(parts.authority.rfind('@') + 1);
  const size_t bracket = parts.host.rfind(']');
  const size_t port = parts.host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  parts.host = parts.host.substr(0, port);
  return parts;
}

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0;
    if (!escape) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(HexValue(text[i + 1]) * kHexBase + HexValue(text[i + 2]));
    i += 2;
  }
  return decoded;
}

std::string PercentEncoded(std::string_view text, bool keep_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = IsWordCharacter(c) || c == '-' || c == '.' || c == '~' || (c == '/' && keep_slashes);
    if (plain) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte / kHexBase], kDigits[byte % kHexBase]};
  }
  return encoded;
}

bool IsLocalPath(std::string_view uri) {
  const size_t scheme = uri.find("://");
  return scheme == std::string_view::npos || scheme == 0 || !IsWordCharacter(uri[scheme - 1]);
}

std::string ResolvePvc(const std::string& uri) {
  if (!uri.starts_with(kPvcScheme)) return uri;
  const size_t path = uri.find('/', kPvcScheme.size());
  return std::string(kPvcMount) + (path == std::string::npos ? "" : uri.substr(path));
}

bool IsAzureBlob(std::string_view uri) {
  constexpr std::string_view kHost = ".blob.core.windows.net/";
  constexpr std::string_view kScheme = "https://";
  if (!uri.starts_with(kScheme)) return false;
  const size_t host = uri.find(kHost, kScheme.size() + 1);
  return host != std::string_view::npos && host + kHost.size() < uri.size();
}

}  // namespace inferd::storage
