#include "kserve/apiserver/patch/managed_fields.h"

#include <algorithm>
#include <utility>

#include "kserve/apiserver/patch/merge_patch.h"

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Value;

constexpr size_t kManagersMax = 20;

std::string TextOf(const Value& map, std::string_view key) {
  const Value* const value = map.Find(key);
  return value == nullptr ? std::string() : value->text();
}

// Removes the fields that every object has and nobody manages.
Value WithoutSystemFields(Value object) {
  for (const std::string_view key : {"apiVersion", "kind", "status"}) object.Remove(key);
  if (Value* const metadata = object.Find("metadata"); metadata != nullptr && metadata->is(Kind::kMap)) {
    for (const std::string_view key : {"name", "namespace", "generateName", "uid", "resourceVersion", "generation",
                                       "creationTimestamp", "deletionTimestamp", "managedFields", "selfLink"}) {
      metadata->Remove(key);
    }
    if (metadata->members().empty()) object.Remove("metadata");
  }
  return object;
}

// Returns the part of an object that a subresource's entries describe.
Value PartOf(const Value& object, const std::string& subresource) {
  if (subresource.empty()) return WithoutSystemFields(object);
  Value part = Value::Map();
  if (const Value* const field = object.Find(subresource); field != nullptr) part.Set(subresource, *field);
  return part;
}

}  // namespace

ManagedFields ManagedFields::Of(const Value& object) {
  ManagedFields managed;
  const Value* const metadata = object.Find("metadata");
  const Value* const list = metadata == nullptr ? nullptr : metadata->Find("managedFields");
  if (list == nullptr) return managed;
  for (const Value& item : list->items()) {
    const Value* const fields = item.Find("fieldsV1");
    if (fields == nullptr) continue;
    managed.entries_.push_back({.manager = TextOf(item, "manager"),
                                .apply = TextOf(item, "operation") == "Apply",
                                .api_version = TextOf(item, "apiVersion"),
                                .time = TextOf(item, "time"),
                                .subresource = TextOf(item, "subresource"),
                                .fields = FromFieldsV1(*fields)});
  }
  return managed;
}

void ManagedFields::WriteTo(Value& object) const {
  Value list = Value::List();
  for (const Entry& entry : entries_) {
    Value item = Value::Map({{"manager", Value::String(entry.manager)},
                             {"operation", Value::String(entry.apply ? "Apply" : "Update")},
                             {"apiVersion", Value::String(entry.api_version)},
                             {"time", Value::String(entry.time)},
                             {"fieldsType", Value::String("FieldsV1")},
                             {"fieldsV1", ToFieldsV1(entry.fields)}});
    if (!entry.subresource.empty()) item.Set("subresource", Value::String(entry.subresource));
    list.items().push_back(std::move(item));
  }
  Value& metadata = object.MapAt("metadata");
  metadata.Remove("managedFields");
  if (!list.items().empty()) metadata.Set("managedFields", std::move(list));
}

ManagedFields::Entry& ManagedFields::EntryOf(const FieldWriter& writer, bool apply) {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.manager == writer.manager && entry.apply == apply && entry.subresource == writer.subresource;
  });
  if (found != entries_.end()) return *found;
  if (entries_.size() >= kManagersMax) {
    // The fields of the oldest entry then have no manager.
    const auto oldest = std::ranges::find_if(entries_, [](const Entry& entry) { return !entry.apply; });
    entries_.erase(oldest == entries_.end() ? entries_.begin() : oldest);
  }
  entries_.push_back({.manager = writer.manager,
                      .apply = apply,
                      .api_version = {},
                      .time = {},
                      .subresource = writer.subresource,
                      .fields = {}});
  return entries_.back();
}

void ManagedFields::DropEmpty() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.fields.empty(); });
}

FieldSet ManagedFields::FieldsOfOthers(const Entry& own) const {
  FieldSet fields;
  for (const Entry& entry : entries_) {
    if (&entry != &own) fields.insert(entry.fields.begin(), entry.fields.end());
  }
  return fields;
}

void ManagedFields::Update(const FieldWriter& writer, const Value& before, const Value& after) {
  const Value part_before = PartOf(before, writer.subresource);
  const Value part_after = PartOf(after, writer.subresource);
  for (Entry& entry : entries_) {
    if (entry.subresource != writer.subresource) continue;
    std::erase_if(entry.fields, [&](const FieldPath& field) {
      return FindField(part_after, field) == nullptr || FieldDiffers(part_before, part_after, field);
    });
  }
  if (FieldSet changed = ChangedFields(part_before, part_after); !changed.empty() && writer.subresource.empty()) {
    Entry& own = EntryOf(writer, false);
    own.fields.merge(changed);
    own.api_version = writer.api_version;
    own.time = writer.time;
  }
  DropEmpty();
}

bool ManagedFields::SameFieldsAs(const ManagedFields& other) const {
  return std::ranges::equal(entries_, other.entries_, [](const Entry& a, const Entry& b) {
    return a.manager == b.manager && a.apply == b.apply && a.subresource == b.subresource && a.fields == b.fields;
  });
}

ManagedFields::Applied ManagedFields::Apply(const FieldWriter& writer, const Value& live, const Value& wanted,
                                            bool force) {
  const Value part = PartOf(wanted, writer.subresource);
  FieldSet fields = FieldsOf(part);
  Applied applied{.object = MergePatch(live, part), .conflicts = {}};
  Entry& own = EntryOf(writer, true);
  for (Entry& other : entries_) {
    if (&other == &own) continue;
    std::erase_if(other.fields, [&](const FieldPath& field) {
      if (!FieldDiffers(live, applied.object, field)) return false;
      if (!force) {
        applied.conflicts.push_back({.manager = other.manager, .api_version = other.api_version, .field = field});
      }
      return true;
    });
  }
  if (!applied.conflicts.empty()) return applied;
  FieldSet kept = FieldsOfOthers(own);
  kept.insert(fields.begin(), fields.end());
  // Goes from inner fields outwards, so that a map comes after the fields in it.
  for (auto field = own.fields.rbegin(); field != own.fields.rend(); ++field) {
    if (kept.contains(*field)) continue;
    const Value* const value = FindField(applied.object, *field);
    if (value != nullptr && (!value->is(Kind::kMap) || value->members().empty())) {
      RemoveField(applied.object, *field, kept);
    }
  }
  own.fields = std::move(fields);
  own.api_version = writer.api_version;
  own.time = writer.time;
  DropEmpty();
  return applied;
}

}  // namespace inferd::apiserver
