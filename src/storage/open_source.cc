#include "storage/open_source.h"

#include "storage/azure/azure_source.h"
#include "storage/gs/gs_source.h"
#include "storage/hdfs/hdfs_source.h"
#include "storage/http/http_source.h"
#include "storage/s3/s3_source.h"
#include "storage/source/storage_config.h"
#include "storage/source/uri.h"

namespace inferd::storage {

base::Result<std::unique_ptr<Source>> OpenSource(const std::string& uri, const Environment& given) {
  INFERD_ASSIGN_OR_RETURN(const Environment environment, WithStorageConfig(given));
  const std::string_view scheme = SplitUri(uri).scheme;
  if (scheme == "hdfs" || scheme == "webhdfs") return HdfsSource::Open(uri, environment);
  if (IsAzureFileShare(uri)) {
    return std::unexpected(base::Unimplemented("file shares of Azure are not supported: " + ShownUri(uri)));
  }
  if (IsAzureBlob(uri)) return AzureSource::Open(uri, environment);
  if (scheme == "gs") return GsSource::Open(uri, environment);
  if (scheme == "s3") return S3Source::Open(uri, environment);
  if (scheme == "http" || scheme == "https") return HttpSource::Open(uri, environment);
  return std::unexpected(
      base::InvalidArgument("Cannot recognize storage type for " + ShownUri(uri) +
                            "\n'gs://', 's3://', 'file://', and 'http(s)://' are the current available storage type."));
}

}  // namespace inferd::storage
