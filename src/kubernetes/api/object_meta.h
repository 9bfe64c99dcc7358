#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "kubernetes/api/resource.h"
#include "manifest/value.h"

namespace inferd::kubernetes {

// What every object has in its metadata. Objects stay documents, so that fields that this program does not know come
// back to the server as they were. Thread-safe.

// The text at a path of members, as {"metadata", "uid"}; empty: there is none.
const std::string& TextAt(const manifest::Value& object, std::initializer_list<std::string_view> path);

ObjectName NameOf(const manifest::Value& object);
const std::string& ResourceVersionOf(const manifest::Value& object);
const std::string& UidOf(const manifest::Value& object);

// An object that has nothing but its type and name.
manifest::Value MakeObject(const Resource& resource, const ObjectName& name);

}  // namespace inferd::kubernetes
