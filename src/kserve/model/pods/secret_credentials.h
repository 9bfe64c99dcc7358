#pragma once

#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/storage_initializer.h"

namespace inferd::model {

// Adds the credentials of a Secret to the initializer, as variables that refer to the secret or as a volume of it. A
// secret without a known key adds the S3 settings of its annotations, if there are any. Returns false if no key is
// known and no annotation allows anonymous access. `secret` is the document. Thread-safe.
bool AddSecretCredentials(const manifest::Value& secret, const InferenceServiceConfig::Credentials& settings,
                          StorageInitializer& initializer);

// Adds the S3 settings of a service account's annotations, if one of them names a role (eks.amazonaws.com/role-arn).
// Thread-safe.
void AddAccountCredentials(const manifest::Value& account, const InferenceServiceConfig::Credentials& settings,
                           StorageInitializer& initializer);

// Add a variable to the initializer, with a value or with a reference to a key of a Secret.
void AddVariable(std::string name, std::string value, StorageInitializer& initializer);
void AddSecretVariable(std::string name, std::string secret, std::string key, StorageInitializer& initializer);

}  // namespace inferd::model
