#include "storage/source/uri.h"

#include <algorithm>

namespace inferd::storage {

namespace {

constexpr std::string_view kPvcScheme = "pvc://";
constexpr std::string_view kPvcMount = "/mnt/pvc";

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns true if the URI is "https://<name><host><something>".
bool IsBelowHost(std::string_view uri, std::string_view host) {
  constexpr std::string_view kScheme = "https://";
  if (!uri.starts_with(kScheme)) return false;
  const size_t found = uri.find(host, kScheme.size() + 1);
  return found != std::string_view::npos && found + host.size() < uri.size();
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

bool IsLocalPath(std::string_view uri) {
  const size_t scheme = uri.find("://");
  return scheme == std::string_view::npos || scheme == 0 || !IsWordCharacter(uri[scheme - 1]);
}

std::string ResolvePvc(const std::string& uri) {
  if (!uri.starts_with(kPvcScheme)) return uri;
  const size_t path = uri.find('/', kPvcScheme.size());
  return std::string(kPvcMount) + (path == std::string::npos ? "" : uri.substr(path));
}

bool IsAzureBlob(std::string_view uri) { return IsBelowHost(uri, ".blob.core.windows.net/"); }

bool IsAzureFileShare(std::string_view uri) { return IsBelowHost(uri, ".file.core.windows.net/"); }

}  // namespace inferd::storage
