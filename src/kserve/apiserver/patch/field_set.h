#pragma once

#include <set>
#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::apiserver {

// Fields of an object by their paths of keys: {"spec", "predictor", "minReplicas"}. Lists are one field, with all that
// is in them, and so are empty maps.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

// All fields of a value.
FieldSet FieldsOf(const manifest::Value& value);
// Those that `after` has otherwise than `before`, or `before` does not have.
FieldSet ChangedFields(const manifest::Value& before, const manifest::Value& after);

// Null: there is none.
const manifest::Value* FindField(const manifest::Value& value, const FieldPath& path);
// With the maps around it that are empty without it.
void RemoveField(manifest::Value& value, const FieldPath& path);

// Whether `fields` has the field, one of its own fields, or one that it is a field of.
bool HasOverlap(const FieldSet& fields, const FieldPath& field);
// Removes all such.
void EraseOverlap(FieldSet& fields, const FieldPath& field);

// As Kubernetes' managedFields have it (FieldsV1): {"f:spec": {"f:predictor": {"f:minReplicas": {}}}}. Keys of other
// forms, which name items of lists, stand for the list.
manifest::Value ToFieldsV1(const FieldSet& fields);
FieldSet FromFieldsV1(const manifest::Value& value);

// ".spec.predictor.minReplicas"
std::string FieldText(const FieldPath& path);

}  // namespace inferd::apiserver
