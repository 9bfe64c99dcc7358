#include "storage/hdfs/hdfs_secret.h"

#include <string_view>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/base64.h"

namespace inferd::storage {

namespace {

constexpr const char* kSecretFolder = "/var/secrets/kserve-hdfscreds";
constexpr size_t kSecretBytesMax = 1 << 20;  // the maximum of a Kubernetes secret

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

}  // namespace

HdfsSecret::HdfsSecret(std::string folder, StorageConfig config)
    : folder_(std::move(folder)),
      config_(std::move(config)),
      place_(folder_.empty() ? "STORAGE_CONFIG" : "the secret in " + folder_) {}

base::Result<HdfsSecret> HdfsSecret::Open(const Environment& environment) {
  INFERD_ASSIGN_OR_RETURN(StorageConfig config, ReadStorageConfig(environment));
  const auto type = config.find("type");
  if (type != config.end() && (type->second == "hdfs" || type->second == "webhdfs")) {
    return HdfsSecret("", std::move(config));
  }
  std::string folder = environment("HDFS_SECRET_DIR");
  if (folder.empty()) folder = kSecretFolder;
  return HdfsSecret(std::move(folder), {});
}

base::Result<std::string> HdfsSecret::Text(const std::string& key) const {
  if (folder_.empty()) {
    const auto found = config_.find(key);
    return found == config_.end() ? std::string() : Trimmed(found->second);
  }
  auto text = base::ReadRegularFile(folder_ + "/" + key, kSecretBytesMax);
  if (text.has_value()) return Trimmed(*text);
  if (text.error().code() == base::StatusCode::kNotFound) return std::string();
  return std::unexpected(std::move(text).error());
}

base::Result<std::string> HdfsSecret::File(const std::string& key) const {
  INFERD_ASSIGN_OR_RETURN(std::string text, Text(key));
  if (!folder_.empty() || text.empty()) return text;
  const auto bytes = base::DecodeLenientBase64(text, text.data());
  if (!bytes.has_value()) return std::unexpected(base::InvalidArgument(place_ + ": " + key + " is no Base64"));
  text.resize(*bytes);
  return text;
}

}  // namespace inferd::storage
