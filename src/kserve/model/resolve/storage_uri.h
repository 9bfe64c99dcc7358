#pragma once

#include <cstdint>
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

// Where TrainedModels may be: in remote storages, as in KServe; or wherever the model of an InferenceService may be, as
// on one machine, where paths of that machine can be served.
enum class TrainedModelPlaces : uint8_t { kRemote, kAnywhere };

// Likewise of the storageUri of the TrainedModel called `model`.
std::string CheckTrainedModelUri(std::string_view model, std::string_view uri, TrainedModelPlaces places);

}  // namespace inferd::model
