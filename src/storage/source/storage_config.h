#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/status.h"
#include "storage/source/environment.h"

namespace inferd::storage {

// A storage specification's members: texts, and booleans as texts.
using StorageConfig = std::map<std::string, std::string, std::less<>>;

// That of an environment, by the rules of KServe's storage initializer: the JSON object in STORAGE_CONFIG (of a
// secret), and over it that in STORAGE_OVERRIDE_CONFIG (of an InferenceService). INVALID_ARGUMENT: one is no JSON
// object; the message has nothing of what may be secret.
base::Result<StorageConfig> ReadStorageConfig(const Environment& environment);

// An environment with what a storage specification adds to it. With "type": "s3", its members stand for variables:
// endpoint_url for AWS_ENDPOINT_URL, access_key_id for AWS_ACCESS_KEY_ID, secret_access_key, region
// (AWS_DEFAULT_REGION), ca_bundle (AWS_CA_BUNDLE), verify_ssl (S3_VERIFY_SSL) and anonymous (awsAnonymousCredential).
// Errors are ReadStorageConfig's.
base::Result<Environment> WithStorageConfig(const Environment& environment);

}  // namespace inferd::storage
