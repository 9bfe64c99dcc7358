#include "kserve/apiserver/objects/owners.h"

#include <algorithm>
#include <utility>

#include "data/manifest/value_path.h"

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Value;

bool IsTrue(const Value& reference, std::string_view key) {
  const Value* const value = reference.Find(key);
  return value != nullptr && value->is(Kind::kBool) && value->boolean();
}

Value* ListOf(Value& object, std::string_view key) {
  Value* const metadata = object.Find("metadata");
  Value* const list = metadata == nullptr ? nullptr : metadata->Find(key);
  return list == nullptr || !list->is(Kind::kList) ? nullptr : list;
}

// Removes an empty list, which means the same as no list.
void RemoveIfEmpty(Value& object, std::string_view key) {
  if (const Value* const list = ListOf(object, key); list != nullptr && list->items().empty()) {
    object.Find("metadata")->Remove(key);
  }
}

}  // namespace

std::vector<Owner> OwnersOf(const Value& object) {
  std::vector<Owner> owners;
  const Value* const list = FieldAt(object, {"metadata", "ownerReferences"});
  if (list == nullptr) return owners;
  for (const Value& reference : list->items()) {
    Owner owner{.api_version = TextAt(reference, {"apiVersion"}),
                .kind = TextAt(reference, {"kind"}),
                .name = TextAt(reference, {"name"}),
                .uid = TextAt(reference, {"uid"}),
                .blocks = IsTrue(reference, "blockOwnerDeletion")};
    if (!owner.uid.empty()) owners.push_back(std::move(owner));
  }
  return owners;
}

void CheckOwners(const Value& object, manifest::Problems& problems) {
  const std::string path = "metadata.ownerReferences";
  const Value* const list = FieldAt(object, {"metadata", "ownerReferences"});
  if (list == nullptr || list->is(Kind::kNull)) return;
  if (!list->is(Kind::kList)) {
    problems.push_back({.path = path, .message = "must be a list"});
    return;
  }
  for (size_t i = 0; i < list->items().size(); ++i) {
    for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
      if (!TextAt(list->items()[i], {key}).empty()) continue;
      problems.push_back({.path = path + "[" + std::to_string(i) + "]." + std::string(key),
                          .message = std::string(key) + " must not be empty"});
    }
  }
  const auto controls = [](const Value& reference) { return IsTrue(reference, "controller"); };
  if (std::ranges::count_if(list->items(), controls) > 1) {
    problems.push_back({.path = path, .message = "Only one reference can have Controller set to true"});
  }
}

Value WithoutOwner(Value object, std::string_view uid) {
  Value* const list = ListOf(object, "ownerReferences");
  if (list == nullptr) return object;
  std::erase_if(list->items(), [&](const Value& reference) { return TextAt(reference, {"uid"}) == uid; });
  RemoveIfEmpty(object, "ownerReferences");
  return object;
}

bool HasFinalizer(const Value& object, std::string_view finalizer) {
  const Value* const list = FieldAt(object, {"metadata", "finalizers"});
  return list != nullptr &&
         std::ranges::any_of(list->items(), [&](const Value& each) { return each.text() == finalizer; });
}

Value WithoutFinalizer(Value object, std::string_view finalizer) {
  Value* const list = ListOf(object, "finalizers");
  if (list == nullptr) return object;
  std::erase_if(list->items(), [&](const Value& each) { return each.text() == finalizer; });
  RemoveIfEmpty(object, "finalizers");
  return object;
}

}  // namespace inferd::apiserver
