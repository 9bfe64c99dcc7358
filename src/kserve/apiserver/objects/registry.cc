#include "kserve/apiserver/objects/registry.h"

#include <sys/random.h>

#include <array>
#include <ctime>
#include <utility>

#include "data/manifest/names.h"
#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/objects/owners.h"
#include "kserve/apiserver/patch/json_patch.h"
#include "kserve/apiserver/patch/managed_fields.h"
#include "kserve/apiserver/patch/merge_patch.h"

namespace inferd::apiserver {

namespace {

using apiserver::ObjectPtr;
using apiserver::ObjectStore;
using manifest::Kind;
using manifest::Text;
using manifest::Value;

constexpr int kTriesMax = 100;
constexpr size_t kDepthMax = 64;
constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

// Returns a UUID of version 4 (RFC 9562).
std::string MakeUid() {
  std::array<unsigned char, 16> bytes{};
  while (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  std::string uid;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uid += '-';
    uid += "0123456789abcdef"[bytes[i] >> 4];
    uid += "0123456789abcdef"[bytes[i] & 15];
  }
  return uid;
}

// Returns five letters and digits, without vowels, so that they form no words (Kubernetes: generateName).
std::string RandomSuffix() {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::array<unsigned char, 5> bytes{};
  while (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  std::string suffix;
  for (const unsigned char byte : bytes) suffix += kLetters[byte % kLetters.size()];
  return suffix;
}

size_t DepthOf(const Value& value, size_t most) {
  if (most == 0) return 1;
  size_t depth = 0;
  for (const Value& item : value.items()) depth = std::max(depth, DepthOf(item, most - 1));
  for (const manifest::Member& member : value.members()) depth = std::max(depth, DepthOf(member.value, most - 1));
  return depth + 1;
}

// Removes the fields that every write changes by itself.
Value Comparable(Value object) {
  if (Value* const metadata = object.Find("metadata"); metadata != nullptr) {
    for (const std::string_view key : {"managedFields", "resourceVersion", "generation"}) metadata->Remove(key);
  }
  return object;
}

bool SameField(const Value& a, const Value& b, std::string_view key) {
  const Value* const in_a = a.Find(key);
  const Value* const in_b = b.Find(key);
  if (in_a == nullptr || in_b == nullptr) return in_a == in_b;
  return *in_a == *in_b;
}

void CopyField(const Value& from, Value& to, std::string_view key) {
  if (const Value* const value = from.Find(key); value != nullptr) {
    to.Set(key, *value);
  } else {
    to.Remove(key);
  }
}

bool HasFinalizers(const Value& object) {
  const Value* const list = FieldAt(object, {"metadata", "finalizers"});
  return list != nullptr && !list->items().empty();
}

void AddFinalizer(Value& metadata, DeletePropagation propagation) {
  if (propagation == DeletePropagation::kBackground) return;
  Value& list = metadata.At("finalizers");
  if (!list.is(Kind::kList)) list = Value::List();
  list.items().push_back(Text(propagation == DeletePropagation::kOrphan ? kOrphanFinalizer : kForegroundFinalizer));
}

ApiError Refused(const ResourceType& type, std::string_view name, const base::Status& status) {
  switch (status.code()) {
    case base::StatusCode::kAborted: return ConflictError(type, name, kModified);
    case base::StatusCode::kOutOfRange: return TooLargeError(status.message());
    case base::StatusCode::kResourceExhausted: return ForbiddenError(type, name, status.message());
    default: return InternalError(status.message());
  }
}

bool IsNamespace(const ResourceType& type) { return type.kind == "Namespace"; }

// Searches the text first, so that most objects need no parsing.
bool IsBeingDeleted(const apiserver::StoredObject& object) {
  return object.json.find("\"deletionTimestamp\"") != std::string::npos &&
         FieldAt(ParseStored(object.json), {"metadata", "deletionTimestamp"}) != nullptr;
}

ApiResult<void> CheckIdentity(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                              Value& object) {
  if (!object.is(Kind::kMap)) return std::unexpected(BadRequestError("the body of the request must be an object"));
  for (const auto& [key, wanted] : {std::pair(std::string_view("apiVersion"), type.api_version()),
                                    std::pair(std::string_view("kind"), std::string(type.kind))}) {
    const std::string given = TextAt(object, {key});
    if (!given.empty() && given != wanted) {
      const std::string what = key == "kind" ? "kind" : "API version";
      return std::unexpected(BadRequestError("the " + what + " in the data (" + given +
                                             ") does not match the expected " + what + " (" + wanted + ")"));
    }
    object.Set(key, Text(wanted));
  }
  if (const Value* metadata = object.Find("metadata"); metadata != nullptr && !metadata->is(Kind::kMap)) {
    return std::unexpected(BadRequestError("metadata must be a map"));
  }
  Value& metadata = object.MapAt("metadata");
  const std::string own_namespace = TextAt(metadata, {"namespace"});
  if (!own_namespace.empty() && own_namespace != namespace_name) {
    return std::unexpected(
        BadRequestError("the namespace of the provided object does not match the namespace sent on "
                        "the request"));
  }
  if (type.namespaced) metadata.Set("namespace", Text(namespace_name));
  const std::string own_name = TextAt(metadata, {"name"});
  if (!name.empty() && own_name != name) {
    if (!own_name.empty()) {
      return std::unexpected(BadRequestError("the name of the object (" + own_name +
                                             ") does not match the name on the URL (" + std::string(name) + ")"));
    }
    metadata.Set("name", Text(name));
  }
  return {};
}

FieldWriter WriterOf(const ResourceType& type, const WriteOptions& options, const std::string& now) {
  return {.manager = options.manager,
          .api_version = type.api_version(),
          .time = now,
          .subresource = type.has_status && options.status ? "status" : ""};
}

ApiError ApplyConflict(const std::vector<ManagedFields::Conflict>& conflicts) {
  std::string text =
      "Apply failed with " + std::to_string(conflicts.size()) + " conflict" + (conflicts.size() == 1 ? "" : "s") + ":";
  Value causes = Value::List();
  for (const ManagedFields::Conflict& conflict : conflicts) {
    const std::string message = "conflict with \"" + conflict.manager + "\" using " + conflict.api_version;
    text += (conflicts.size() == 1 ? " " : "\n- ") + message + ": " + FieldText(conflict.field);
    causes.items().push_back(Value::Map({{"reason", Text("FieldManagerConflict")},
                                         {"message", Text(message)},
                                         {"field", Text(FieldText(conflict.field))}}));
  }
  return {409, "Conflict", std::move(text), Value::Map({{"causes", std::move(causes)}})};
}

}  // namespace

Registry::Registry(ObjectStore& store, const Admission& admission, const base::Clock& clock)
    : store_(store), admission_(admission), clock_(clock) {}

apiserver::ObjectKey Registry::KeyOf(const ResourceType& type, std::string_view namespace_name, std::string_view name) {
  return {type.resource(), std::string(type.namespaced ? namespace_name : ""), std::string(name)};
}

std::string Registry::Now() const {
  const std::time_t seconds = clock_.WallNs() / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

Registry::Written Registry::Get(const ResourceType& type, std::string_view namespace_name,
                                std::string_view name) const {
  ObjectPtr found = store_.Get(KeyOf(type, namespace_name, name));
  if (found == nullptr) return std::unexpected(NotFoundError(type, name));
  return found;
}

ApiResult<void> Registry::CheckNew(const ResourceType& type, std::string_view namespace_name, Value& object) const {
  Value& metadata = object.MapAt("metadata");
  if (!TextAt(metadata, {"resourceVersion"}).empty()) {
    return std::unexpected(BadRequestError("resourceVersion should not be set on objects to be created"));
  }
  const std::string prefix = TextAt(metadata, {"generateName"});
  if (TextAt(metadata, {"name"}).empty() && !prefix.empty()) metadata.Set("name", Text(prefix + RandomSuffix()));
  const std::string name = TextAt(metadata, {"name"});
  if (name.empty()) {
    return std::unexpected(
        InvalidError(type, "", {{.path = "metadata.name", .message = "name or generateName is required"}}));
  }
  manifest::Problems problems;
  for (std::string& fault : type.kind == "Namespace" ? manifest::CheckLabel(name) : manifest::CheckSubdomain(name)) {
    problems.push_back({.path = "metadata.name", .message = std::move(fault)});
  }
  CheckOwners(object, problems);
  if (!problems.empty()) return std::unexpected(InvalidError(type, name, problems));
  static const ResourceType& kNamespaces = *FindKind("v1", "Namespace");
  if (!type.namespaced) return {};
  const ObjectPtr within = store_.Get(KeyOf(kNamespaces, "", namespace_name));
  if (within == nullptr) return std::unexpected(NotFoundError(kNamespaces, namespace_name));
  if (IsBeingDeleted(*within)) {
    return std::unexpected(ForbiddenError(type, name,
                                          "unable to create new content in namespace " + std::string(namespace_name) +
                                              " because it is being terminated"));
  }
  return {};
}

Registry::Written Registry::Create(const ResourceType& type, std::string_view namespace_name, Value object,
                                   const WriteOptions& options) {
  if (!type.writable && !options.internal) return std::unexpected(MethodNotAllowedError());
  if (auto checked = CheckIdentity(type, namespace_name, "", object); !checked.has_value()) {
    return std::unexpected(checked.error());
  }
  if (auto checked = CheckNew(type, namespace_name, object); !checked.has_value()) {
    return std::unexpected(checked.error());
  }
  if (type.has_status && !options.internal) object.Remove("status");
  auto admitted = admission_.Admit(type, std::move(object), nullptr);
  if (!admitted.has_value()) return std::unexpected(admitted.error());
  Value& metadata = admitted->MapAt("metadata");
  const std::string name = TextAt(metadata, {"name"});
  for (const std::string_view key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"})
    metadata.Remove(key);
  metadata.Set("uid", Text(MakeUid()));
  metadata.Set("creationTimestamp", Text(Now()));
  if (type.has_spec) metadata.Set("generation", Value::Int(1));
  // An applied object already has them.
  if (metadata.Find("managedFields") == nullptr) {
    ManagedFields managed;
    managed.Update(WriterOf(type, options, Now()), Value::Map(), *admitted);
    managed.WriteTo(*admitted);
  }
  auto written = Commit(type, {.key = KeyOf(type, namespace_name, name), .expected = 0, .json = {}},
                        *std::move(admitted), options.dry_run);
  if (!written.has_value() && written.error().reason == "Conflict")
    return std::unexpected(AlreadyExistsError(type, name));
  return written;
}

// Restores the fields that a client may not change.
ApiResult<Value> Registry::Complete(const ResourceType& type, const Value& live, Value object,
                                    const WriteOptions& options) const {
  const std::string name = TextAt(live, {"metadata", "name"});
  if (DepthOf(object, kDepthMax) > kDepthMax) {
    return std::unexpected(BadRequestError("the object is nested more than " + std::to_string(kDepthMax) + " deep"));
  }
  auto checked = CheckIdentity(type, TextAt(live, {"metadata", "namespace"}), name, object);
  if (!checked.has_value()) return std::unexpected(checked.error());
  Value& metadata = object.MapAt("metadata");
  const std::string version = TextAt(metadata, {"resourceVersion"});
  if (!version.empty() && version != TextAt(live, {"metadata", "resourceVersion"})) {
    return std::unexpected(ConflictError(type, name, kModified));
  }
  const std::string uid = TextAt(metadata, {"uid"});
  if (const std::string own = TextAt(live, {"metadata", "uid"}); !uid.empty() && uid != own) {
    return std::unexpected(
        ConflictError(type, name, "Precondition failed: UID in precondition: " + uid + ", UID in object meta: " + own));
  }
  const Value& live_metadata = *live.Find("metadata");
  for (const std::string_view key :
       {"uid", "creationTimestamp", "generation", "deletionTimestamp", "resourceVersion"}) {
    CopyField(live_metadata, metadata, key);
  }
  if (type.has_status && options.status) {
    Value with_status = live;
    CopyField(object, with_status, "status");
    CopyField(metadata, *with_status.Find("metadata"), "managedFields");
    return with_status;
  }
  if (type.has_status && !options.internal) CopyField(live, object, "status");
  manifest::Problems problems;
  CheckOwners(object, problems);
  if (!problems.empty()) return std::unexpected(InvalidError(type, name, problems));
  return admission_.Admit(type, std::move(object), &live);
}

Registry::Written Registry::Change(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                   const Edit& edit, const WriteOptions& options) {
  return Change(type, namespace_name, name, edit, options, Recorded::kUpdate);
}

Registry::Written Registry::Change(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                   const Edit& edit, const WriteOptions& options, Recorded recorded) {
  if (!type.writable && !options.internal) return std::unexpected(MethodNotAllowedError());
  for (int tries = 0;; ++tries) {
    const ObjectPtr stored = store_.Get(KeyOf(type, namespace_name, name));
    if (stored == nullptr) return std::unexpected(NotFoundError(type, name));
    const Value live = ParseStored(stored->json);
    ApiResult<Value> edited = edit(live);
    if (!edited.has_value()) return std::unexpected(edited.error());
    const bool applied = recorded == Recorded::kApplied;
    const bool has_managers = applied || FieldAt(*edited, {"metadata", "managedFields"}) != nullptr;
    ManagedFields managed = ManagedFields::Of(has_managers ? *edited : live);
    ApiResult<Value> object = Complete(type, live, *std::move(edited), options);
    if (!object.has_value()) return std::unexpected(object.error());
    // If at most an entry's time has changed, nothing is written.
    if (Comparable(*object) == Comparable(live) && managed.SameFieldsAs(ManagedFields::Of(live))) return stored;
    if (!applied) managed.Update(WriterOf(type, options, Now()), live, *object);
    managed.WriteTo(*object);
    Value& metadata = object->MapAt("metadata");
    if (type.has_spec && !SameField(live, *object, "spec")) {
      const Value* const generation = metadata.Find("generation");
      metadata.Set("generation", Value::Int(1 + (generation == nullptr ? 0 : std::atoll(generation->text().c_str()))));
    }
    const bool ends = !IsNamespace(type) && metadata.Find("deletionTimestamp") != nullptr && !HasFinalizers(*object);
    auto written = Commit(
        type, {.key = KeyOf(type, namespace_name, name), .expected = stored->revision, .json = {}, .remove = ends},
        *std::move(object), options.dry_run);
    const bool again = !written.has_value() && written.error().reason == "Conflict" && tries < kTriesMax;
    if (!again) return written;
  }
}

Registry::Written Registry::Update(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                   Value object, const WriteOptions& options) {
  const bool versioned = !TextAt(object, {"metadata", "resourceVersion"}).empty();
  if (!type.group.empty() && !versioned && !options.internal) {
    return std::unexpected(InvalidError(
        type, name, {{.path = "metadata.resourceVersion", .message = "0x0: must be specified for an update"}}));
  }
  return Change(
      type, namespace_name, name,
      [&](const Value& live) -> ApiResult<Value> {
        Value edited = object;
        if (edited.is(Kind::kMap)) CopyField(*live.Find("metadata"), edited.MapAt("metadata"), "managedFields");
        return edited;
      },
      options);
}

Registry::Written Registry::Apply(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                  const Value& patch, const WriteOptions& options, bool& made) {
  // Null fields are removed.
  Value wanted = MergePatch(Value::Map(), patch);
  auto checked = CheckIdentity(type, namespace_name, name, wanted);
  if (!checked.has_value()) return std::unexpected(checked.error());
  if (FieldAt(wanted, {"metadata", "managedFields"}) != nullptr) {
    return std::unexpected(BadRequestError("metadata.managedFields must be nil"));
  }
  // The stored object has its defaults, so `wanted` needs them too. Otherwise the result would have both `onnx` and the
  // `model` that `onnx` became.
  if (!options.status) wanted = admission_.WithDefaults(type, std::move(wanted));
  const FieldWriter writer = WriterOf(type, options, Now());
  const auto apply = [&](const Value& live) -> ApiResult<Value> {
    ManagedFields managed = ManagedFields::Of(live);
    auto applied = managed.Apply(writer, live, wanted, options.force);
    if (!applied.conflicts.empty()) return std::unexpected(ApplyConflict(applied.conflicts));
    const std::string version = TextAt(wanted, {"metadata", "resourceVersion"});
    if (!version.empty()) applied.object.MapAt("metadata").Set("resourceVersion", Text(version));
    managed.WriteTo(applied.object);
    return std::move(applied.object);
  };
  if (!options.status && store_.Get(KeyOf(type, namespace_name, name)) == nullptr) {
    ManagedFields managed;
    Value object = managed.Apply(writer, wanted, wanted, true).object;
    managed.WriteTo(object);
    auto created = Create(type, namespace_name, std::move(object), options);
    made = created.has_value();
    if (made || created.error().reason != "AlreadyExists") return created;
  }
  return Change(type, namespace_name, name, apply, options, Recorded::kApplied);
}

Registry::Written Registry::Patch(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                  PatchType how, const Value& patch, const WriteOptions& options, bool& made) {
  made = false;
  if (how == PatchType::kApply) return Apply(type, namespace_name, name, patch, options, made);
  return Change(
      type, namespace_name, name,
      [&](const Value& live) -> ApiResult<Value> {
        if (how == PatchType::kJson) {
          auto patched = JsonPatch(live, patch);
          if (patched.has_value()) return *std::move(patched);
          if (patched.error().code() == base::StatusCode::kInvalidArgument) {
            return std::unexpected(BadRequestError(patched.error().message()));
          }
          return std::unexpected(
              ApiError{422, "Invalid",
                       "the server rejected our request due to an error in our request: " + patched.error().message()});
        }
        if (!patch.is(Kind::kMap)) return std::unexpected(BadRequestError("the patch must be a map"));
        return how == PatchType::kMerge ? MergePatch(live, patch) : StrategicPatch(live, patch);
      },
      options);
}

Registry::Written Registry::Delete(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                                   const DeleteOptions& options, bool& gone) {
  if (IsNamespace(type) && name == "default") {
    return std::unexpected(ForbiddenError(type, name, "this namespace may not be deleted"));
  }
  for (int tries = 0;; ++tries) {
    const ObjectPtr stored = store_.Get(KeyOf(type, namespace_name, name));
    if (stored == nullptr) return std::unexpected(NotFoundError(type, name));
    Value object = ParseStored(stored->json);
    Value& metadata = object.MapAt("metadata");
    for (const auto& [key, what, wanted] :
         {std::tuple("uid", "UID", &options.uid),
          std::tuple("resourceVersion", "ResourceVersion", &options.resource_version)}) {
      const std::string own = TextAt(metadata, {key});
      if (wanted->empty() || *wanted == own) continue;
      return std::unexpected(ConflictError(type, name,
                                           "Precondition failed: " + std::string(what) + " in precondition: " +
                                               *wanted + ", " + what + " in object meta: " + own));
    }
    AddFinalizer(metadata, options.propagation);
    gone = !IsNamespace(type) && !HasFinalizers(object);
    if (!gone && metadata.Find("deletionTimestamp") != nullptr) {
      gone = IsNamespace(type) && !options.dry_run && FinishNamespace(name);
      return stored;
    }
    metadata.Set("deletionTimestamp", Text(Now()));
    if (gone) metadata.Remove("deletionTimestamp");
    if (IsNamespace(type)) object.MapAt("status").Set("phase", Text("Terminating"));
    auto written = Commit(
        type, {.key = KeyOf(type, namespace_name, name), .expected = stored->revision, .json = {}, .remove = gone},
        std::move(object), options.dry_run);
    if (written.has_value() && IsNamespace(type) && !options.dry_run) gone = FinishNamespace(name);
    const bool again = !written.has_value() && written.error().reason == "Conflict" && tries < kTriesMax;
    if (!again) return written;
  }
}

bool Registry::DeleteContents(std::string_view namespace_name) {
  bool all = true;
  for (const ResourceType& type : ResourceTypes()) {
    if (!type.namespaced) continue;
    for (const ObjectPtr& object : store_.List(type.resource(), std::string(namespace_name)).objects) {
      bool gone = false;
      const auto deleted = Delete(type, namespace_name, object->key.name, {}, gone);
      all &= gone || (!deleted.has_value() && deleted.error().reason == "NotFound");
    }
  }
  return all;
}

bool Registry::FinishNamespace(std::string_view name) {
  static const ResourceType& kNamespaces = *FindKind("v1", "Namespace");
  const ObjectPtr stored = store_.Get(KeyOf(kNamespaces, "", name));
  if (stored == nullptr || !IsBeingDeleted(*stored) || !DeleteContents(name)) return false;
  Value object = ParseStored(stored->json);
  if (HasFinalizers(object)) return false;
  return Commit(kNamespaces, {.key = stored->key, .expected = stored->revision, .json = {}, .remove = true},
                std::move(object), false)
      .has_value();
}

Registry::Written Registry::Commit(const ResourceType& type, ObjectStore::Write write, Value object, bool dry_run) {
  const std::string name = write.key.name;
  if (dry_run) {
    return std::make_shared<const apiserver::StoredObject>(apiserver::StoredObject{
        .key = std::move(write.key), .revision = write.expected, .json = manifest::ToJson(object)});
  }
  write.json = [&object](int64_t revision) {
    object.MapAt("metadata").Set("resourceVersion", Text(std::to_string(revision)));
    return manifest::ToJson(object);
  };
  auto committed = store_.Commit(std::move(write));
  if (!committed.has_value()) return std::unexpected(Refused(type, name, committed.error()));
  return *std::move(committed);
}

}  // namespace inferd::apiserver
