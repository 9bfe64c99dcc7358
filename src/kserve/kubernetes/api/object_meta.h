#pragma once

#include <string>

#include "data/manifest/value_path.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::kubernetes {

// What every object has in its metadata. Objects stay documents, so that fields that this program does not know come
// back to the server as they were. Thread-safe.

ObjectName NameOf(const manifest::Value& object);
const std::string& ResourceVersionOf(const manifest::Value& object);
const std::string& UidOf(const manifest::Value& object);

// An object that has nothing but its type and name.
manifest::Value MakeObject(const Resource& resource, const ObjectName& name);

}  // namespace inferd::kubernetes
