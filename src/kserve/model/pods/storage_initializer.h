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

// An object of a pod's namespace: the document of that kind ("Secret", "ServiceAccount") and name; nullopt: there is
// none.
using FindPodObject = std::function<std::optional<manifest::Value>(std::string_view kind, std::string_view name)>;

// The parts of a model's URI that names a claim: pvc://CLAIM/PATH.
struct ClaimUri {
  std::string claim;
  std::string path;  // without a leading '/'; empty: the whole claim
};

// Returns true if the URI names a claim.
bool IsClaimUri(std::string_view uri);
// INVALID_ARGUMENT, in KServe's words: the URI names no claim.
base::Result<ClaimUri> ReadClaimUri(std::string_view uri);

// What brings a pod's model before the pod's containers start (KServe 0.10: the storage initializer injector), with the
// credentials for it.
struct StorageInitializer {
  std::string source;                                  // the model's URI; empty: the pod has no model
  manifest::Value container = manifest::Value::Map();  // `env` and `volumeMounts`
  manifest::Value volumes = manifest::Value::List();   // those that it mounts, for the pod's `volumes`
  std::string account = {};                            // the pod's service account, if it has one
  // The account's secrets that give no credentials, with the reason: "minio (its keys are user, password)".
  std::vector<std::string> unused_secrets = {};
};

// The credentials of the pod's service account, "default" where it names none, added to the initializer, whatever
// the pod's model is. Any thread.
void AddAccount(const ResolvedPod& pod, const InferenceServiceConfig::Credentials& settings, const FindPodObject& find,
                StorageInitializer& initializer);

// The credentials are those of a storage specification (`storage:` of a model), else of the pod's service account,
// "default" where it names none. Secrets are referred to, so that none of their values is in what is returned; only an
// http(s) server's headers are, as KServe has it.
//
// A service account's `secrets` are looked at in turn, and each is taken for what the first of these keys says that it
// is of: the S3 key's name, as configured, awsSecretAccessKey or AWS_SECRET_ACCESS_KEY, the Google file's name,
// AZ_CLIENT_ID or AZURE_CLIENT_ID, AZURE_STORAGE_ACCESS_KEY, https-host, HDFS_NAMENODE. Secrets that are not there, or
// that have none of them, are passed over, and named.
//
// A specification's secret has a JSON object under each key; the one is that of `key`, else "default_TYPE" where the
// parameters give a type, else "default". INVALID_ARGUMENT, in KServe's words: the key is not there, or the URI cannot
// be made of it. Any thread.
base::Result<StorageInitializer> MakeStorageInitializer(const ResolvedPod& pod, const InferenceServiceConfig& config,
                                                        const FindPodObject& find);

}  // namespace inferd::model
