#pragma once

#include <string>
#include <string_view>

namespace inferd::storage {

// The parts of "scheme://user@host:port/path?query#fragment", as written; a part that is not there is empty. Views of
// the URI.
struct UriParts {
  std::string_view scheme;
  std::string_view host;  // without user and port
  std::string_view authority;
  std::string_view path;  // from its '/'
  std::string_view query;
};

UriParts SplitUri(std::string_view uri);

// KServe: anything without "<word>://" is a path of this machine.
bool IsLocalPath(std::string_view uri);

// Where a pod has what "pvc://<claim>/<path>" names: the claim's volume is mounted at /mnt/pvc, so that it is
// "/mnt/pvc/<path>". Any other URI stays as it is.
std::string ResolvePvc(const std::string& uri);

// KServe: "https://<account>.blob.core.windows.net/<container>...".
bool IsAzureBlob(std::string_view uri);

// KServe: "https://<account>.file.core.windows.net/<share>...".
bool IsAzureFileShare(std::string_view uri);

}  // namespace inferd::storage
