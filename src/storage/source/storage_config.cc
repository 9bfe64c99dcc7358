#include "storage/source/storage_config.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "data/json/read.h"

namespace inferd::storage {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kS3Variables = {
    {{"endpoint_url", "AWS_ENDPOINT_URL"},
     {"access_key_id", "AWS_ACCESS_KEY_ID"},
     {"secret_access_key", "AWS_SECRET_ACCESS_KEY"},
     {"region", "AWS_DEFAULT_REGION"},
     {"ca_bundle", "AWS_CA_BUNDLE"},
     {"verify_ssl", "S3_VERIFY_SSL"},
     {"anonymous", "awsAnonymousCredential"}}};

// Reads texts, and booleans as texts; skips other members.
base::Status ReadMember(json::Reader& reader, std::string& text) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type == json::ValueType::kString) return json::ReadText(reader, text);
  if (type != json::ValueType::kBool) return reader.SkipValue();
  INFERD_ASSIGN_OR_RETURN(const bool value, reader.ReadBool());
  text = value ? "true" : "false";
  return {};
}

base::Status AddMembers(const Environment& environment, const std::string& variable, StorageConfig& members) {
  const base::Status status =
      json::ReadWholeObject(environment(variable), [&](json::Reader& reader, std::string_view key) {
        std::string& text = members[std::string(key)];
        return ReadMember(reader, text);
      });
  // The reader's own message may quote a secret.
  return status.ok() ? status : base::InvalidArgument("environment variable " + variable + " is no JSON object");
}

}  // namespace

base::Result<StorageConfig> ReadStorageConfig(const Environment& environment) {
  StorageConfig members;
  INFERD_RETURN_IF_ERROR(AddMembers(environment, "STORAGE_CONFIG", members));
  INFERD_RETURN_IF_ERROR(AddMembers(environment, "STORAGE_OVERRIDE_CONFIG", members));
  return members;
}

base::Result<Environment> WithStorageConfig(const Environment& environment) {
  INFERD_ASSIGN_OR_RETURN(StorageConfig members, ReadStorageConfig(environment));
  if (members["type"] != "s3") return environment;
  std::map<std::string, std::string> variables;
  for (const auto& [member, variable] : kS3Variables) {
    if (const auto found = members.find(member); found != members.end()) variables.emplace(variable, found->second);
  }
  return [environment, variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? environment(name) : found->second;
  };
}

}  // namespace inferd::storage
