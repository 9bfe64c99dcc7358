#include "kserve/apiserver/patch/field_set.h"

#include <algorithm>
#include <utility>

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Value;

bool IsField(const Value& value) { return !value.is(Kind::kMap) || value.members().empty(); }

// Whether the path begins with the outer one.
bool IsWithin(const FieldPath& path, const FieldPath& outer) {
  return path.size() >= outer.size() && std::equal(outer.begin(), outer.end(), path.begin());
}

void AddFields(const Value& value, FieldPath& path, FieldSet& fields) {
  if (IsField(value)) {
    if (!path.empty()) fields.insert(path);
    return;
  }
  for (const manifest::Member& member : value.members()) {
    path.push_back(member.key);
    AddFields(member.value, path, fields);
    path.pop_back();
  }
}

void AddChanged(const Value* before, const Value& after, FieldPath& path, FieldSet& fields) {
  if (before != nullptr && before->is(Kind::kMap) && after.is(Kind::kMap) && !after.members().empty()) {
    for (const manifest::Member& member : after.members()) {
      path.push_back(member.key);
      AddChanged(before->Find(member.key), member.value, path, fields);
      path.pop_back();
    }
    return;
  }
  if (before == nullptr || !(*before == after)) AddFields(after, path, fields);
}

void AddFieldsV1(const Value& value, FieldPath& path, FieldSet& fields) {
  bool deeper = false;
  for (const manifest::Member& member : value.members()) {
    if (!member.key.starts_with("f:")) continue;
    deeper = true;
    path.push_back(member.key.substr(2));
    AddFieldsV1(member.value, path, fields);
    path.pop_back();
  }
  if (!deeper && !path.empty()) fields.insert(path);
}

}  // namespace

FieldSet FieldsOf(const Value& value) {
  FieldSet fields;
  FieldPath path;
  AddFields(value, path, fields);
  return fields;
}

FieldSet ChangedFields(const Value& before, const Value& after) {
  FieldSet fields;
  FieldPath path;
  AddChanged(&before, after, path, fields);
  return fields;
}

const Value* FindField(const Value& value, const FieldPath& path) {
  const Value* found = &value;
  for (const std::string& key : path) {
    if (found == nullptr || !found->is(Kind::kMap)) return nullptr;
    found = found->Find(key);
  }
  return found;
}

void RemoveField(Value& value, const FieldPath& path) {
  std::vector<Value*> maps = {&value};
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    Value* const next = maps.back()->is(Kind::kMap) ? maps.back()->Find(path[i]) : nullptr;
    if (next == nullptr) return;
    maps.push_back(next);
  }
  for (size_t i = path.size(); i-- > 0;) {
    if (!maps[i]->is(Kind::kMap) || !maps[i]->Remove(path[i]) || i == 0 || !maps[i]->members().empty()) return;
  }
}

bool HasOverlap(const FieldSet& fields, const FieldPath& field) {
  const auto at = fields.lower_bound(field);
  if (at != fields.end() && IsWithin(*at, field)) return true;
  for (FieldPath outer = field; !outer.empty(); outer.pop_back()) {
    if (fields.contains(outer)) return true;
  }
  return false;
}

void EraseOverlap(FieldSet& fields, const FieldPath& field) {
  auto at = fields.lower_bound(field);
  while (at != fields.end() && IsWithin(*at, field)) at = fields.erase(at);
  for (FieldPath outer = field; !outer.empty(); outer.pop_back()) fields.erase(outer);
}

Value ToFieldsV1(const FieldSet& fields) {
  Value root = Value::Map();
  for (const FieldPath& path : fields) {
    Value* value = &root;
    for (const std::string& key : path) value = &value->MapAt("f:" + key);
  }
  return root;
}

FieldSet FromFieldsV1(const Value& value) {
  FieldSet fields;
  FieldPath path;
  AddFieldsV1(value, path, fields);
  return fields;
}

std::string FieldText(const FieldPath& path) {
  std::string text;
  for (const std::string& key : path) text += "." + key;
  return text;
}

}  // namespace inferd::apiserver
