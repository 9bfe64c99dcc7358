#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/admission.h"
#include "kserve/apiserver/objects/api_error.h"
#include "kserve/apiserver/objects/selector.h"
#include "kserve/apiserver/store/object_store.h"

namespace inferd::apiserver {

struct WriteOptions {
  std::string manager = "unknown";  // recorded as the manager of the written fields
  bool status = false;              // write only the status (subresource); if false, all but the status
  bool dry_run = false;             // check everything, but write nothing
  bool force = false;               // for an apply patch: override conflicts
  bool internal = false;            // by the controller itself, which may write what clients may not
};

// The fate of a deleted object's dependents (Kubernetes: cascading deletion). The registry records it. A
// GarbageCollector carries it out.
enum class DeletePropagation {
  kBackground,  // deleted after the owner
  kForeground,  // deleted before the owner
  kOrphan,      // kept, without the owner
};

struct DeleteOptions {
  std::string uid = {};               // precondition; empty for any
  std::string resource_version = {};  // precondition; empty for any
  DeletePropagation propagation = DeletePropagation::kBackground;
  bool dry_run = false;
};

enum class PatchType { kJson, kMerge, kStrategic, kApply };

// Kubernetes' rules for objects in the store: names, uids, generations, conflicts, finalizers, field managers.
// Thread-safe. Blocks until the store has written. The store and the admission must outlive it.
class Registry final {
 public:
  Registry(apiserver::ObjectStore& store, const Admission& admission, const base::Clock& clock);

  static apiserver::ObjectKey KeyOf(const ResourceType& type, std::string_view namespace_name, std::string_view name);

  using Written = ApiResult<apiserver::ObjectPtr>;

  Written Get(const ResourceType& type, std::string_view namespace_name, std::string_view name) const;
  Written Create(const ResourceType& type, std::string_view namespace_name, manifest::Value object,
                 const WriteOptions& options);
  Written Update(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                 manifest::Value object, const WriteOptions& options);
  // Patches an object. `made` is set to true if an apply patch has created it.
  Written Patch(const ResourceType& type, std::string_view namespace_name, std::string_view name, PatchType how,
                const manifest::Value& patch, const WriteOptions& options, bool& made);
  // Changes the object by `edit`. Calls `edit` again if the object has changed meanwhile.
  using Edit = std::function<ApiResult<manifest::Value>(const manifest::Value& live)>;
  Written Change(const ResourceType& type, std::string_view namespace_name, std::string_view name, const Edit& edit,
                 const WriteOptions& options);
  // Deletes an object and returns its last state. `gone` is set to false if finalizers are still left.
  //
  // A deleted namespace is Terminating first, and accepts no new objects. It is removed once it is empty. If no object
  // in it has finalizers, that is at once. Otherwise FinishNamespace() removes it later.
  Written Delete(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                 const DeleteOptions& options, bool& gone);

  // Deletes the contents of a Terminating namespace, and then the namespace. Returns false if something is left, for
  // example objects with finalizers, or objects that could not be deleted because the disk is full.
  bool FinishNamespace(std::string_view name);

  apiserver::ObjectStore& store() { return store_; }
  // Returns the current time, RFC 3339 in UTC.
  std::string Now() const;

 private:
  ApiResult<void> CheckNew(const ResourceType& type, std::string_view namespace_name, manifest::Value& object) const;
  ApiResult<manifest::Value> Complete(const ResourceType& type, const manifest::Value& live, manifest::Value object,
                                      const WriteOptions& options) const;
  // The function that records an edit's manager in managedFields: Change() (kUpdate), or the edit itself, as in
  // server-side apply (kApplied).
  enum class Recorded { kUpdate, kApplied };
  Written Change(const ResourceType& type, std::string_view namespace_name, std::string_view name, const Edit& edit,
                 const WriteOptions& options, Recorded recorded);
  Written Apply(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                const manifest::Value& patch, const WriteOptions& options, bool& made);
  Written Commit(const ResourceType& type, apiserver::ObjectStore::Write write, manifest::Value object, bool dry_run);
  // Deletes what the namespace contains. Returns true if nothing is left.
  bool DeleteContents(std::string_view namespace_name);

  apiserver::ObjectStore& store_;
  const Admission& admission_;
  const base::Clock& clock_;
};

}  // namespace inferd::apiserver
