#pragma once

#include <set>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::apiserver {

// Fields of an object by their paths of keys: {"spec", "predictor", "minReplicas"}. A list is one field, with all that
// is in it. The path of a map stands for the map alone, and not for the fields in it.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

// All fields of a value.
FieldSet FieldsOf(const manifest::Value& value);
// Those that `after` has otherwise than `before`, or `before` does not have.
FieldSet ChangedFields(const manifest::Value& before, const manifest::Value& after);

// Null: there is none.
const manifest::Value* FindField(const manifest::Value& value, const FieldPath& path);
// Removes the field, and then the maps around it that are empty without it, but for those in `kept`.
void RemoveField(manifest::Value& value, const FieldPath& path, const FieldSet& kept);

// Returns true if `before` has the field and `after` has another value there, or none. Two maps do not differ: each
// field in them is asked for by its own path.
bool FieldDiffers(const manifest::Value& before, const manifest::Value& after, const FieldPath& path);

// As Kubernetes' managedFields have it (FieldsV1): {"f:spec": {"f:predictor": {"f:minReplicas": {}}}}. A key "." stands
// for the map around it. Keys of other forms, which name items of lists, stand for the list.
manifest::Value ToFieldsV1(const FieldSet& fields);
FieldSet FromFieldsV1(const manifest::Value& value);

// ".spec.predictor.minReplicas"
std::string FieldText(const FieldPath& path);

}  // namespace inferd::apiserver
