#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Finds an object in a pod's namespace by kind ("Secret", "ServiceAccount") and name, and returns its document. nullopt
// if there is none.
using FindPodObject = std::function<std::optional<manifest::Value>(std::string_view kind, std::string_view name)>;

// The parts of a model URI that names a volume claim: pvc://CLAIM/PATH.
struct ClaimUri {
  std::string claim;
  std::string path;  // without a leading '/'; empty for the whole claim
};

// Returns true if the URI names a claim.
bool IsClaimUri(std::string_view uri);
// Splits the URI. INVALID_ARGUMENT, in KServe's words, if it names no claim.
base::Result<ClaimUri> ReadClaimUri(std::string_view uri);

// The storage initializer of a pod, which fetches the model before the pod's containers start, with its credentials
// (KServe 0.10: the storage initializer injector).
struct StorageInitializer {
  std::string source;                                  // the model's URI; empty if the pod has no model
  manifest::Value container = manifest::Value::Map();  // `env` and `volumeMounts`
  manifest::Value volumes = manifest::Value::List();   // the volumes to mount, for the pod's `volumes`
  std::string account = {};                            // the pod's service account, if it has one
  // The account's secrets without known credentials, with the reason: "minio (its keys are user, password)".
  std::vector<std::string> unused_secrets = {};
};

// Adds the credentials of the pod's service account ("default" if it names none) to the initializer. The pod may have
// any model, or none. Thread-safe.
void AddAccount(const ResolvedPod& pod, const InferenceServiceConfig::Credentials& settings, const FindPodObject& find,
                StorageInitializer& initializer);

// Returns the initializer with the credentials of the model's storage specification (`storage:`) or, without one, of
// the pod's service account ("default" if it names none). Secrets are referred to by name, so that no credentials are
// in the result. It has only the host of an https-host secret, and the type and bucket of a specification's secret.
//
// All `secrets` of a service account are used, in turn. The first known key decides what kind of credentials a secret
// has: the S3 key's configured name, awsSecretAccessKey or AWS_SECRET_ACCESS_KEY, the configured name of the Google
// file, AZ_CLIENT_ID or AZURE_CLIENT_ID, AZURE_STORAGE_ACCESS_KEY, https-host, HDFS_NAMENODE. Missing secrets, and
// those with none of these keys, are skipped. They are listed in `unused_secrets`, unless they have one of Kubernetes'
// own types.
//
// A storage specification's secret has a JSON object under each key. The key is the specification's `key`, else
// "default_TYPE" if the parameters name a type, else "default". INVALID_ARGUMENT, in KServe's words: the key is
// missing, or no URI can be built from the object. Thread-safe.
base::Result<StorageInitializer> MakeStorageInitializer(const ResolvedPod& pod, const InferenceServiceConfig& config,
                                                        const FindPodObject& find);

}  // namespace inferd::model
