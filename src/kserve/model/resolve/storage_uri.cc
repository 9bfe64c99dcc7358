#include "kserve/model/resolve/storage_uri.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace inferd::model {

namespace {

constexpr std::array<std::string_view, 8> kSchemes = {"gs://",    "s3://",   "pvc://",  "file://",
                                                      "https://", "http://", "hdfs://", "webhdfs://"};
constexpr std::array<std::string_view, 3> kSpecSchemes = {"s3://", "hdfs://", "webhdfs://"};
constexpr std::array<std::string_view, 4> kTrainedModelSchemes = {"s3://", "gs://", "https://", "http://"};

std::string Joined(std::span<const std::string_view> schemes) {
  std::string text;
  for (const std::string_view scheme : schemes) text += (text.empty() ? "" : ", ") + std::string(scheme);
  return text;
}

bool HasScheme(std::string_view uri, std::span<const std::string_view> schemes) {
  return std::ranges::any_of(schemes, [&](std::string_view scheme) { return uri.starts_with(scheme); });
}

// Returns true if the URI has `\w+?://` anywhere. Otherwise it is a local path.
bool IsRemote(std::string_view uri) {
  const size_t separator = uri.find("://");
  if (separator == std::string_view::npos || separator == 0) return false;
  const auto before = static_cast<unsigned char>(uri[separator - 1]);
  return std::isalnum(before) != 0 || before == '_';
}

std::string Unsupported(std::span<const std::string_view> schemes, std::string_view uri) {
  return "storageUri, must be one of: [" + Joined(schemes) +
         "] or match https://{}.blob.core.windows.net/{}/{} or be an absolute or relative local path. StorageUri [" +
         std::string(uri) + "] is not supported.";
}

}  // namespace

std::string CheckStorageUri(std::string_view uri) {
  if (!IsRemote(uri) || HasScheme(uri, kSchemes)) return "";
  return Unsupported(kSchemes, uri);
}

std::string CheckStorageSpecUri(std::string_view uri) {
  return HasScheme(uri, kSpecSchemes) ? "" : Unsupported(kSpecSchemes, uri);
}

std::string CheckStorageSpecType(std::string_view type) {
  if (HasScheme(std::string(type) + "://", kSpecSchemes)) return "";
  return "storage.spec.type, must be one of: [" + Joined(kSpecSchemes) + "]. storage.spec.type [" + std::string(type) +
         "] is not supported.";
}

std::string CheckTrainedModelUri(std::string_view model, std::string_view uri, TrainedModelPlaces places) {
  if (places == TrainedModelPlaces::kAnywhere) return CheckStorageUri(uri);
  if (HasScheme(uri, kTrainedModelSchemes)) return "";
  return "the Trained Model \"" + std::string(model) +
         "\" storageUri field is invalid. The storage uri must start with one of the prefixes: " +
         Joined(kTrainedModelSchemes) + ". (the storage uri given is \"" + std::string(uri) + "\")";
}

}  // namespace inferd::model
