#include "kserve/apiserver/patch/field_set.h"

#include <algorithm>
#include <utility>

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Value;

bool IsField(const Value& value) { return !value.is(Kind::kMap) || value.members().empty(); }

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
  if (!path.empty() && value.Find(".") != nullptr) fields.insert(path);
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

void RemoveField(Value& value, const FieldPath& path, const FieldSet& kept) {
  std::vector<Value*> maps = {&value};
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    Value* const next = maps.back()->is(Kind::kMap) ? maps.back()->Find(path[i]) : nullptr;
    if (next == nullptr) return;
    maps.push_back(next);
  }
  FieldPath map = path;
  for (size_t i = path.size(); i-- > 0;) {
    if (!maps[i]->is(Kind::kMap) || !maps[i]->Remove(path[i]) || i == 0 || !maps[i]->members().empty()) return;
    map.pop_back();
    if (kept.contains(map)) return;
  }
}

bool FieldDiffers(const Value& before, const Value& after, const FieldPath& path) {
  const Value* const old_value = FindField(before, path);
  const Value* const new_value = FindField(after, path);
  if (old_value == nullptr) return false;
  if (new_value == nullptr) return true;
  if (old_value->is(Kind::kMap) && new_value->is(Kind::kMap)) return false;
  return !(*old_value == *new_value);
}

Value ToFieldsV1(const FieldSet& fields) {
  Value root = Value::Map();
  for (auto path = fields.begin(); path != fields.end(); ++path) {
    Value* value = &root;
    for (const std::string& key : *path) value = &value->MapAt("f:" + key);
    // The set is sorted, so the first field in a map follows the map.
    const auto next = std::next(path);
    const bool has_inner =
        next != fields.end() && next->size() > path->size() && std::equal(path->begin(), path->end(), next->begin());
    if (has_inner) value->Set(".", Value::Map());
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
