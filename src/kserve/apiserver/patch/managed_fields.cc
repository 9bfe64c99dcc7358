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

// What every object has, and is no manager's.
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

bool IsMap(const Value* value) { return value != nullptr && value->is(Kind::kMap); }

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
                                .fields = FromFieldsV1(*fields)});
  }
  return managed;
}

void ManagedFields::WriteTo(Value& object) const {
  Value list = Value::List();
  for (const Entry& entry : entries_) {
    list.items().push_back(Value::Map({{"manager", Value::String(entry.manager)},
                                       {"operation", Value::String(entry.apply ? "Apply" : "Update")},
                                       {"apiVersion", Value::String(entry.api_version)},
                                       {"time", Value::String(entry.time)},
                                       {"fieldsType", Value::String("FieldsV1")},
                                       {"fieldsV1", ToFieldsV1(entry.fields)}}));
  }
  Value& metadata = object.MapAt("metadata");
  metadata.Remove("managedFields");
  if (!list.items().empty()) metadata.Set("managedFields", std::move(list));
}

ManagedFields::Entry& ManagedFields::EntryOf(const std::string& manager, bool apply) {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.manager == manager && entry.apply == apply; });
  if (found != entries_.end()) return *found;
  if (entries_.size() >= kManagersMax) {
    // What the oldest one has is no manager's from then on.
    const auto oldest = std::ranges::find_if(entries_, [](const Entry& entry) { return !entry.apply; });
    entries_.erase(oldest == entries_.end() ? entries_.begin() : oldest);
  }
  entries_.push_back({.manager = manager, .apply = apply, .api_version = {}, .time = {}, .fields = {}});
  return entries_.back();
}

void ManagedFields::DropEmpty() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.fields.empty(); });
}

void ManagedFields::Update(const std::string& manager, const Value& before, const Value& after,
                           const std::string& api_version, const std::string& time) {
  const Value own_after = WithoutSystemFields(after);
  const FieldSet changed = ChangedFields(WithoutSystemFields(before), own_after);
  for (Entry& entry : entries_) {
    for (const FieldPath& field : changed) EraseOverlap(entry.fields, field);
    std::erase_if(entry.fields, [&](const FieldPath& field) { return FindField(own_after, field) == nullptr; });
  }
  if (!changed.empty()) {
    Entry& own = EntryOf(manager, false);
    own.fields.insert(changed.begin(), changed.end());
    own.api_version = api_version;
    own.time = time;
  }
  DropEmpty();
}

bool ManagedFields::SameFieldsAs(const ManagedFields& other) const {
  return std::ranges::equal(entries_, other.entries_, [](const Entry& a, const Entry& b) {
    return a.manager == b.manager && a.apply == b.apply && a.fields == b.fields;
  });
}

bool ManagedFields::OthersHave(const Entry& own, const FieldPath& field) const {
  return std::ranges::any_of(entries_,
                             [&](const Entry& entry) { return &entry != &own && HasOverlap(entry.fields, field); });
}

ManagedFields::Applied ManagedFields::Apply(const std::string& manager, const Value& live, const Value& wanted,
                                            const std::string& api_version, const std::string& time, bool force) {
  const Value own_wanted = WithoutSystemFields(wanted);
  FieldSet fields = FieldsOf(own_wanted);
  // An empty map says that there is a map, and nothing of what others have in it.
  std::erase_if(fields, [&](const FieldPath& field) {
    const Value* const there = FindField(live, field);
    return IsMap(FindField(own_wanted, field)) && IsMap(there) && !there->members().empty();
  });
  Entry& own = EntryOf(manager, true);
  Applied applied{.object = live, .conflicts = {}};
  for (Entry& other : entries_) {
    if (&other == &own) continue;
    for (const FieldPath& field : fields) {
      if (!HasOverlap(other.fields, field)) continue;
      const Value* const live_value = FindField(live, field);
      if (live_value != nullptr && *live_value == *FindField(own_wanted, field)) continue;
      if (force) {
        EraseOverlap(other.fields, field);
      } else {
        applied.conflicts.push_back({.manager = other.manager, .api_version = other.api_version, .field = field});
      }
    }
  }
  if (!applied.conflicts.empty()) return applied;
  for (const FieldPath& field : own.fields) {
    if (!HasOverlap(fields, field) && !OthersHave(own, field)) RemoveField(applied.object, field);
  }
  applied.object = MergePatch(std::move(applied.object), own_wanted);
  own.fields = fields;
  own.api_version = api_version;
  own.time = time;
  DropEmpty();
  return applied;
}

}  // namespace inferd::apiserver
