#pragma once

#include <set>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::apiserver {

// A field of an object, as its path of keys: {"spec", "predictor", "minReplicas"}. A list is one field, with all its
// content. The path of a map means the map alone, without the fields in it.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

// Returns all fields of a value.
FieldSet FieldsOf(const manifest::Value& value);
// Returns the fields that `after` has added or changed.
FieldSet ChangedFields(const manifest::Value& before, const manifest::Value& after);

// Returns the field's value. Null if there is none.
const manifest::Value* FindField(const manifest::Value& value, const FieldPath& path);
// Removes the field, then the maps around it that become empty, except those in `kept`.
void RemoveField(manifest::Value& value, const FieldPath& path, const FieldSet& kept);

// Returns true if `before` has the field, and `after` has another value or none. Two maps never differ, because each
// field in them has a path of its own.
bool FieldDiffers(const manifest::Value& before, const manifest::Value& after, const FieldPath& path);

// Convert to and from the form of Kubernetes' managedFields (FieldsV1): {"f:spec": {"f:predictor": {"f:minReplicas":
// {}}}}. A key "." means the map around it. Other keys, which name items of lists, mean the list.
manifest::Value ToFieldsV1(const FieldSet& fields);
FieldSet FromFieldsV1(const manifest::Value& value);

// Returns ".spec.predictor.minReplicas".
std::string FieldText(const FieldPath& path);

}  // namespace inferd::apiserver
