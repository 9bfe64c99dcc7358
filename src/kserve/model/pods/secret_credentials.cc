#include "kserve/model/pods/secret_credentials.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/base64.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::model {

namespace {

using manifest::Kind;
using manifest::Value;

using S3 = InferenceServiceConfig::Credentials::S3;

const std::string kSecretsPath = "/var/secrets";
const std::string kHdfsPath = kSecretsPath + "/kserve-hdfscreds";

std::string TextAt(const Value& object, std::string_view map, std::string_view key) {
  const Value* const members = object.Find(map);
  const Value* const member = members == nullptr ? nullptr : members->Find(key);
  return member != nullptr && member->is(Kind::kString) ? member->text() : std::string();
}

std::string NameOf(const Value& object) { return TextAt(object, "metadata", "name"); }

bool HasKey(const Value& secret, std::string_view key) {
  const Value* const data = secret.Find("data");
  return data != nullptr && data->Find(key) != nullptr;
}

std::string ValueOf(const Value& secret, std::string_view key) {
  return base::DecodedBase64(TextAt(secret, "data", key));
}

// The key names of an S3 secret.
struct S3Keys {
  std::string id, secret;
};

// Returns the key names that the secret uses: those of the configuration, of KServe's code, or of KServe's installed
// configuration and documentation. nullopt if it has none of them.
std::optional<S3Keys> FindS3Keys(const Value& secret, const S3& settings) {
  for (S3Keys keys :
       {S3Keys{settings.access_key_id_name, settings.secret_access_key_name},
        S3Keys{"awsAccessKeyID", "awsSecretAccessKey"}, S3Keys{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}}) {
    if (HasKey(secret, keys.secret)) return keys;
  }
  return std::nullopt;
}

// Returns true if the secret has a non-empty annotation that begins with serving.kserve.io/s3- and `name`.
bool HasS3Annotation(const Value& secret, const std::string& name) {
  const Value* const metadata = secret.Find("metadata");
  const Value* const annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  return annotations != nullptr && std::ranges::any_of(annotations->members(), [&](const manifest::Member& member) {
           return member.key.starts_with("serving.kserve.io/s3-" + name) && !member.value.text().empty();
         });
}

// Adds the S3 variables. An annotation of the object wins over the configuration.
void AddS3Settings(const Value& object, const S3& settings, StorageInitializer& initializer) {
  const Value* const metadata = object.Find("metadata");
  const auto setting = [&](const std::string& annotation, const std::string& otherwise) {
    std::string text = metadata == nullptr ? "" : TextAt(*metadata, "annotations", "serving.kserve.io/" + annotation);
    return text.empty() ? otherwise : text;
  };
  std::string endpoint = setting("s3-endpoint", settings.endpoint);
  std::string https = setting("s3-usehttps", settings.use_https);
  if (const auto scheme = endpoint.find("://"); scheme != std::string::npos) {  // a URL, not only host and port
    https = endpoint.starts_with("http://") ? "0" : "1";
    endpoint.erase(0, scheme + 3);
  }
  if (!endpoint.empty()) {
    if (!https.empty()) AddVariable("S3_USE_HTTPS", https, initializer);
    AddVariable("S3_ENDPOINT", endpoint, initializer);
    AddVariable("AWS_ENDPOINT_URL", (https == "0" ? "http://" : "https://") + endpoint, initializer);
  }
  const std::array<std::pair<const char*, std::string>, 5> others = {
      {{"S3_VERIFY_SSL", setting("s3-verifyssl", settings.verify_ssl)},
       {"awsAnonymousCredential", setting("s3-useanoncredential", settings.use_anonymous_credential)},
       {"AWS_DEFAULT_REGION", setting("s3-region", settings.region)},
       {"S3_USER_VIRTUAL_BUCKET", setting("s3-usevirtualbucket", settings.use_virtual_bucket)},
       {"AWS_CA_BUNDLE", setting("s3-cabundle", settings.ca_bundle)}}};
  for (const auto& [name, value] : others) {
    if (!value.empty()) AddVariable(name, value, initializer);
  }
}

void AddVolume(const std::string& name, const std::string& secret, const std::string& path,
               StorageInitializer& initializer) {
  initializer.volumes.items().push_back(
      Value::Map({{"name", Value::String(name)}, {"secret", Value::Map({{"secretName", Value::String(secret)}})}}));
  ListOf(initializer.container, "volumeMounts")
      .push_back(Value::Map(
          {{"name", Value::String(name)}, {"mountPath", Value::String(path)}, {"readOnly", Value::Bool(true)}}));
}

// Adds the variables of an Azure service principal, in either spelling. Returns false if the secret has none.
bool AddAzurePrincipal(const Value& secret, StorageInitializer& initializer) {
  for (const std::string prefix : {"AZ_", "AZURE_"}) {
    if (!HasKey(secret, prefix + "CLIENT_ID")) continue;
    for (const char* const name : {"SUBSCRIPTION_ID", "TENANT_ID", "CLIENT_ID", "CLIENT_SECRET"}) {
      if (HasKey(secret, prefix + name)) AddSecretVariable(prefix + name, NameOf(secret), prefix + name, initializer);
    }
    return true;
  }
  return false;
}

}  // namespace

void AddVariable(std::string name, std::string value, StorageInitializer& initializer) {
  ListOf(initializer.container, "env")
      .push_back(Value::Map({{"name", Value::String(std::move(name))}, {"value", Value::String(std::move(value))}}));
}

void AddSecretVariable(std::string name, std::string secret, std::string key, StorageInitializer& initializer) {
  Value reference = Value::Map({{"name", Value::String(std::move(secret))}, {"key", Value::String(std::move(key))}});
  ListOf(initializer.container, "env")
      .push_back(Value::Map({{"name", Value::String(std::move(name))},
                             {"valueFrom", Value::Map({{"secretKeyRef", std::move(reference)}})}}));
}

bool AddSecretCredentials(const Value& secret, const InferenceServiceConfig::Credentials& settings,
                          StorageInitializer& initializer) {
  const std::string name = NameOf(secret);
  if (const auto keys = FindS3Keys(secret, settings.s3); keys.has_value()) {
    AddSecretVariable("AWS_ACCESS_KEY_ID", name, keys->id, initializer);
    AddSecretVariable("AWS_SECRET_ACCESS_KEY", name, keys->secret, initializer);
    AddS3Settings(secret, settings.s3, initializer);
  } else if (HasKey(secret, settings.gcs_file_name)) {
    AddVolume("user-gcp-sa", name, kSecretsPath, initializer);
    AddVariable("GOOGLE_APPLICATION_CREDENTIALS", kSecretsPath + "/" + settings.gcs_file_name, initializer);
  } else if (AddAzurePrincipal(secret, initializer)) {
  } else if (HasKey(secret, "AZURE_STORAGE_ACCESS_KEY")) {
    AddSecretVariable("AZURE_STORAGE_ACCESS_KEY", name, "AZURE_STORAGE_ACCESS_KEY", initializer);
  } else if (HasKey(secret, "https-host")) {
    // By reference, because more people may read the template than the Secret.
    const std::string variable = ValueOf(secret, "https-host") + "-headers";
    if (HasKey(secret, "headers")) AddSecretVariable(variable, name, "headers", initializer);
  } else if (HasKey(secret, "HDFS_NAMENODE")) {
    AddVolume("hdfs-secrets", name, kHdfsPath, initializer);
    AddVariable("HDFS_SECRET_DIR", kHdfsPath, initializer);
  } else {
    const bool anonymous = HasS3Annotation(secret, "useanoncredential");
    if (anonymous || HasS3Annotation(secret, "")) AddS3Settings(secret, settings.s3, initializer);
    return anonymous;
  }
  return true;
}

void AddAccountCredentials(const Value& account, const InferenceServiceConfig::Credentials& settings,
                           StorageInitializer& initializer) {
  const Value* const metadata = account.Find("metadata");
  if (metadata == nullptr || TextAt(*metadata, "annotations", "eks.amazonaws.com/role-arn").empty()) return;
  AddS3Settings(account, settings.s3, initializer);
}

}  // namespace inferd::model
