#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace inferd::model {

// Checks a model's storageUri (KServe 0.10: validateStorageURI). Returns the error in KServe's words, or an empty text.
// Valid are gs, s3, pvc, file, https, http, hdfs, webhdfs, Azure blobs, and paths without a scheme. Thread-safe.
std::string CheckStorageUri(std::string_view uri);

// Check a storageUri that stands beside `storage`, and the type in `storage.parameters` (KServe 0.10:
// validateStorageSpec). Valid are s3, hdfs and webhdfs.
std::string CheckStorageSpecUri(std::string_view uri);
std::string CheckStorageSpecType(std::string_view type);

// The storages that TrainedModels may come from. kRemote: remote storages only, as in KServe. kAnywhere: all storages
// of InferenceServices, for one machine, where local paths can be served.
enum class TrainedModelPlaces : uint8_t { kRemote, kAnywhere };

// Checks the storageUri of the TrainedModel called `model`.
std::string CheckTrainedModelUri(std::string_view model, std::string_view uri, TrainedModelPlaces places);

}  // namespace inferd::model
