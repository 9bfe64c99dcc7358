#pragma once

#include <string>
#include <string_view>

namespace inferd::model {

// What is wrong with a model's storageUri, in KServe's words; empty: nothing is (KServe 0.10: validateStorageURI).
// Right are gs, s3, pvc, file, https, http, hdfs, webhdfs, blobs of Azure, and paths without a scheme. Thread-safe.
std::string CheckStorageUri(std::string_view uri);

// Likewise of a storageUri beside `storage`, and of the type that `storage.parameters` names (KServe 0.10:
// validateStorageSpec): s3, hdfs and webhdfs.
std::string CheckStorageSpecUri(std::string_view uri);
std::string CheckStorageSpecType(std::string_view type);

// Likewise of a TrainedModel's.
std::string CheckTrainedModelUri(std::string_view model, std::string_view uri);

}  // namespace inferd::model
