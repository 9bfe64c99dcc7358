#pragma once

#include <string>
#include <string_view>

namespace inferd::storage {

// The parts of "scheme://user@host:port/path?query#fragment", as written. A missing part is empty. They are views of
// the URI.
struct UriParts {
  std::string_view scheme;
  std::string_view host;  // without user and port
  std::string_view authority;
  std::string_view path;  // begins with its '/'
  std::string_view query;
};

UriParts SplitUri(std::string_view uri);

// Returns true if the URI is a local path for KServe: any text without "<word>://".
bool IsLocalPath(std::string_view uri);

// Returns the path in a pod for "pvc://<claim>/<path>": the claim's volume is mounted at /mnt/pvc, so it is
// "/mnt/pvc/<path>". Other URIs are returned unchanged.
std::string ResolvePvc(const std::string& uri);

// Returns true for KServe's "https://<account>.blob.core.windows.net/<container>...".
bool IsAzureBlob(std::string_view uri);

// Returns true for KServe's "https://<account>.file.core.windows.net/<share>...".
bool IsAzureFileShare(std::string_view uri);

}  // namespace inferd::storage
