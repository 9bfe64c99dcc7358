#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/schema/definition.h"

namespace inferd::model {

// One field of a kind's spec, with its path. The path goes through the first item of a list, and through the key "k" of
// a map.
struct WalkedField {
  std::string path;           // "predictor.containers[0].image"
  std::vector<Field> fields;  // the fields along the path, this field last

  const Field& field() const { return fields.back(); }
};

inline void WalkFields(const Definition& definition, const WalkedField& at, std::vector<WalkedField>& found) {
  for (const Field& field : definition.fields) {
    WalkedField here = at;
    here.path = at.path.empty() ? std::string(field.name) : at.path + "." + std::string(field.name);
    here.fields.push_back(field);
    found.push_back(here);
    if (field.object == nullptr) continue;
    if (field.shape == FieldShape::kList) here.path += "[0]";
    if (field.shape == FieldShape::kMap) here.path += ".k";
    WalkFields(*field.object, here, found);
  }
}

// Returns all fields of a kind's spec. A field comes before the fields inside it.
inline std::vector<WalkedField> WalkFields(std::string_view kind) {
  std::vector<WalkedField> found;
  WalkFields(*FindSpecDefinition(kind), {}, found);
  return found;
}

// Returns the map in `spec` that contains the field. Creates missing parts.
inline manifest::Value& OwnerOfField(manifest::Value& spec, const WalkedField& walked) {
  manifest::Value* owner = &spec;
  for (size_t i = 0; i + 1 < walked.fields.size(); ++i) {
    const Field& field = walked.fields[i];
    owner = &owner->At(field.name);
    if (field.shape == FieldShape::kList) {
      if (!owner->is(manifest::Kind::kList)) *owner = manifest::Value::List();
      if (owner->items().empty()) owner->items().push_back(manifest::Value::Map());
      owner = &owner->items().front();
    } else if (!owner->is(manifest::Kind::kMap)) {
      *owner = manifest::Value::Map();
    }
    if (field.shape == FieldShape::kMap) owner = &owner->MapAt("k");
  }
  return *owner;
}

}  // namespace inferd::model
