#pragma once

#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/storage_initializer.h"

namespace inferd::model {

// What a Secret is good for, added to the initializer: variables that refer to it, or a volume of it. Nothing, where it
// has no key that says so. `secret` is the document. Any thread.
void AddSecretCredentials(const manifest::Value& secret, const InferenceServiceConfig::Credentials& settings,
                          StorageInitializer& initializer);

// What a service account's annotations say of S3, where one gives a role (eks.amazonaws.com/role-arn). Any thread.
void AddAccountCredentials(const manifest::Value& account, const InferenceServiceConfig::Credentials& settings,
                           StorageInitializer& initializer);

// A variable of the initializer: a value, or a key of a Secret.
void AddVariable(std::string name, std::string value, StorageInitializer& initializer);
void AddSecretVariable(std::string name, std::string secret, std::string key, StorageInitializer& initializer);

}  // namespace inferd::model
