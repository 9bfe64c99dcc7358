#include <cstdlib>
#include <memory>

#include "storage/source/http_source.h"
#include "storage/source/source.h"
#include "storage/source/uri.h"

namespace inferd::storage {

Environment ProcessEnvironment() {
  return [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  };
}

base::Result<std::unique_ptr<Source>> OpenSource(const std::string& uri, const Environment& environment) {
  const std::string_view scheme = SplitUri(uri).scheme;
  if (IsAzureBlob(uri) || scheme == "s3" || scheme == "gs" || scheme == "hdfs" || scheme == "webhdfs") {
    return std::unexpected(base::Unimplemented("this build downloads nothing from " + ShownUri(uri)));
  }
  if (scheme == "http" || scheme == "https") return HttpSource::Open(uri, environment);
  return std::unexpected(
      base::InvalidArgument("Cannot recognize storage type for " + ShownUri(uri) +
                            "\n'gs://', 's3://', 'file://', and 'http(s)://' are the current available storage type."));
}

}  // namespace inferd::storage
