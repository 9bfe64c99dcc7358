#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/status.h"
#include "storage/source/environment.h"

namespace inferd::storage {

// A storage specification's members: texts, and booleans as texts.
using StorageConfig = std::map<std::string, std::string, std::less<>>;

// Returns the environment's specification, by the rules of KServe's storage initializer: the JSON object in
// STORAGE_CONFIG (from a secret), overridden by the one in STORAGE_OVERRIDE_CONFIG (from an InferenceService).
// INVALID_ARGUMENT if one is not a JSON object; the message contains nothing that may be secret.
base::Result<StorageConfig> ReadStorageConfig(const Environment& environment);

// Returns an environment with additions from a storage specification. With "type": "s3", its members set variables:
// endpoint_url sets AWS_ENDPOINT_URL, access_key_id sets AWS_ACCESS_KEY_ID, and likewise secret_access_key, region
// (AWS_DEFAULT_REGION), ca_bundle (AWS_CA_BUNDLE), verify_ssl (S3_VERIFY_SSL) and anonymous (awsAnonymousCredential).
// Errors are ReadStorageConfig()'s.
base::Result<Environment> WithStorageConfig(const Environment& environment);

}  // namespace inferd::storage
