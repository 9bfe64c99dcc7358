#include "kserve/model/pods/storage_initializer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/base64.h"
#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/pods/secret_credentials.h"

namespace inferd::model {

namespace {

using manifest::Kind;
using manifest::Value;

constexpr std::string_view kClaimScheme = "pvc://";
constexpr std::string_view kPlaceholder = "<scheme-placeholder>://";
constexpr std::array<std::string_view, 3> kSpecifiedTypes = {"s3", "hdfs", "webhdfs"};

std::string Annotation(const ResolvedPod& pod, const std::string& key) {
  const auto found = pod.annotations.find(key);
  return found == pod.annotations.end() ? std::string() : found->second;
}

// Returns the text members of a JSON object. nullopt if `json` is not an object.
std::optional<StringMap> ReadTexts(std::string_view json) {
  auto documents = manifest::ReadJson(json, "");
  if (!documents.has_value() || documents->size() != 1 || !documents->front().is(Kind::kMap)) return std::nullopt;
  StringMap texts;
  for (const manifest::Member& member : documents->front().members()) {
    if (member.value.is(Kind::kString)) texts[member.key] = member.value.text();
  }
  return texts;
}

// The storage specification of a model, read from the pod's annotations.
class Specification final {
 public:
  Specification(const ResolvedPod& pod, const std::string& secret_name)
      : key_(Annotation(pod, kStorageSpecKeyAnnotation)),
        parameters_(ReadTexts(Annotation(pod, kStorageSpecParametersAnnotation)).value_or(StringMap())),
        secret_name_(secret_name) {}

  base::Status Apply(const FindPodObject& find, StorageInitializer& initializer) {
    StringMap members;
    const std::optional<Value> secret = find("Secret", secret_name_);
    if (secret.has_value()) {
      INFERD_RETURN_IF_ERROR(ReadSecret(*secret, initializer, members));
    } else if (!key_.empty()) {
      return base::InvalidArgument("can't read storage secret " + secret_name_ + ": secrets \"" + secret_name_ +
                                   "\" not found");
    }
    for (const auto& [name, value] : parameters_) members[name] = value;
    if (!parameters_.empty()) {
      AddVariable("STORAGE_OVERRIDE_CONFIG", manifest::ToJson(Value::StringMap(parameters_)), initializer);
    }
    return initializer.source.starts_with(kPlaceholder) ? Resolve(members, initializer.source) : base::OkStatus();
  }

 private:
  base::Status ReadSecret(const Value& secret, StorageInitializer& initializer, StringMap& members) const {
    const Value* const data = secret.Find("data");
    const auto type = parameters_.find("type");
    std::string key = key_;
    if (key.empty()) key = type == parameters_.end() ? "default" : "default_" + type->second;
    const Value* const found = data == nullptr ? nullptr : data->Find(key);
    if (found == nullptr) {
      if (key_.empty()) return base::OkStatus();
      return base::InvalidArgument("specified storage key " + key + " not found in storage secret " + secret_name_);
    }
    auto read = ReadTexts(base::DecodedBase64(found->text()));
    if (!read.has_value()) {
      return base::InvalidArgument("invalid json encountered in key " + key + " of storage secret " + secret_name_);
    }
    members = *std::move(read);
    AddSecretVariable("STORAGE_CONFIG", secret_name_, key, initializer);
    return base::OkStatus();
  }

  static base::Status Resolve(const StringMap& members, std::string& source) {
    const auto type = members.find("type");
    if (type == members.end() || type->second.empty()) return base::InvalidArgument("unable to determine storage type");
    bool known = false;
    for (const std::string_view name : kSpecifiedTypes) known = known || type->second == name;
    if (!known) {
      return base::InvalidArgument("storage type must be one of [s3, hdfs, webhdfs]. storage type [" + type->second +
                                   "] is not supported");
    }
    std::string path = source.substr(kPlaceholder.size());
    if (type->second == "s3") {
      const auto bucket = members.find("bucket");
      if (bucket == members.end() || bucket->second.empty()) {
        return base::InvalidArgument("format [" + type->second +
                                     "] requires a bucket but one wasn't found in storage data or parameters");
      }
      path = bucket->second + "/" + path;
    }
    source = type->second + "://" + path;
    return base::OkStatus();
  }

  const std::string key_;
  const StringMap parameters_;
  const std::string& secret_name_;
};

// Returns true if the secret has one of Kubernetes' own types, such as account tokens and registry keys.
bool IsOfCluster(const Value& secret) {
  const Value* const type = secret.Find("type");
  return type != nullptr && type->text().starts_with("kubernetes.io/");
}

std::string KeysOf(const Value& secret) {
  const Value* const data = secret.Find("data");
  if (data == nullptr || data->members().empty()) return " (has no keys)";
  std::string names;
  for (const manifest::Member& member : data->members()) names += (names.empty() ? "" : ", ") + member.key;
  return " (its keys are " + names + ")";
}

}  // namespace

bool IsClaimUri(std::string_view uri) { return uri.starts_with(kClaimScheme); }

base::Result<ClaimUri> ReadClaimUri(std::string_view uri) {
  const std::string_view place = IsClaimUri(uri) ? uri.substr(kClaimScheme.size()) : "";
  const size_t slash = std::min(place.find('/'), place.size());
  if (slash == 0) {
    return std::unexpected(base::InvalidArgument("Invalid URI must be pvc://<pvcname>/[path]: " + std::string(uri)));
  }
  const size_t path = std::min(place.find_first_not_of('/', slash), place.size());
  return ClaimUri{.claim = std::string(place.substr(0, slash)), .path = std::string(place.substr(path))};
}

void AddAccount(const ResolvedPod& pod, const InferenceServiceConfig::Credentials& settings, const FindPodObject& find,
                StorageInitializer& initializer) {
  const Value* const named = pod.pod_spec.Find("serviceAccountName");
  const std::string name = named == nullptr || named->text().empty() ? "default" : named->text();
  const std::optional<Value> account = find("ServiceAccount", name);
  if (!account.has_value() && name == "default") return;
  initializer.account = name;
  if (!account.has_value()) {
    initializer.unused_secrets.emplace_back("all (the account is not there)");
    return;
  }
  AddAccountCredentials(*account, settings, initializer);
  const Value* const secrets = account->Find("secrets");
  if (secrets == nullptr || !secrets->is(Kind::kList)) return;
  for (const Value& reference : secrets->items()) {
    const Value* const secret_name = reference.Find("name");
    if (secret_name == nullptr) continue;
    const std::optional<Value> secret = find("Secret", secret_name->text());
    if (secret.has_value() && (AddSecretCredentials(*secret, settings, initializer) || IsOfCluster(*secret))) continue;
    initializer.unused_secrets.push_back(secret_name->text() +
                                         (secret.has_value() ? KeysOf(*secret) : " (is not there)"));
  }
}

base::Result<StorageInitializer> MakeStorageInitializer(const ResolvedPod& pod, const InferenceServiceConfig& config,
                                                        const FindPodObject& find) {
  StorageInitializer initializer;
  initializer.source = Annotation(pod, kStorageSourceAnnotation);
  if (initializer.source.empty()) return initializer;
  if (Annotation(pod, kStorageSpecAnnotation) == "true") {
    INFERD_RETURN_IF_ERROR(Specification(pod, config.credentials.storage_secret).Apply(find, initializer));
  } else {
    AddAccount(pod, config.credentials, find, initializer);
  }
  return initializer;
}

}  // namespace inferd::model
