#pragma once

#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/storage_initializer.h"

namespace inferd::model {

// Adds what a Secret is good for to the initializer: variables that refer to it, or a volume of it. A secret with keys
// of S3 under other names than the known ones gives what its annotations say of S3. Returns false if the secret has no
// key that is understood. `secret` is the document. Any thread.
bool AddSecretCredentials(const manifest::Value& secret, const InferenceServiceConfig::Credentials& settings,
                          StorageInitializer& initializer);

// What a service account's annotations say of S3, where one gives a role (eks.amazonaws.com/role-arn). Any thread.
void AddAccountCredentials(const manifest::Value& account, const InferenceServiceConfig::Credentials& settings,
                           StorageInitializer& initializer);

// A variable of the initializer: a value, or a key of a Secret.
void AddVariable(std::string name, std::string value, StorageInitializer& initializer);
void AddSecretVariable(std::string name, std::string secret, std::string key, StorageInitializer& initializer);

}  // namespace inferd::model
