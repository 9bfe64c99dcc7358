#pragma once

#include <string>

#include "data/manifest/value_path.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::kubernetes {

// Functions on the metadata that every object has. Objects stay documents, so that fields unknown to this program
// return to the server unchanged. Thread-safe.

ObjectName NameOf(const manifest::Value& object);
const std::string& ResourceVersionOf(const manifest::Value& object);
const std::string& UidOf(const manifest::Value& object);

// Returns an object with its type and name only.
manifest::Value MakeObject(const Resource& resource, const ObjectName& name);

}  // namespace inferd::kubernetes
