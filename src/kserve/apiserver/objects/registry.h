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
  std::string manager = "unknown";  // that the written fields are noted for
  bool status = false;              // of the subresource: nothing but the status is written, else all but it
  bool dry_run = false;             // all is checked, and nothing is written
  bool force = false;               // of an applied patch: conflicts are taken
  bool internal = false;            // by the controller itself, which also writes what clients may not
};

// What becomes of the objects that a deleted one owns (Kubernetes: cascading deletion). The registry notes it; a
// GarbageCollector does it.
enum class DeletePropagation {
  kBackground,  // they are deleted once it is gone
  kForeground,  // they are deleted first
  kOrphan,      // they stay, without the owner
};

struct DeleteOptions {
  std::string uid = {};               // empty: any
  std::string resource_version = {};  // likewise
  DeletePropagation propagation = DeletePropagation::kBackground;
  bool dry_run = false;
};

enum class PatchType { kJson, kMerge, kStrategic, kApply };

// Kubernetes' rules about objects over the store: names, identifiers, generations, conflicts, finalizers, the managers
// of fields. Thread-safe; blocks until the store has written. The store and the admission outlive it.
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
  // `made`: whether an applied patch has made the object.
  Written Patch(const ResourceType& type, std::string_view namespace_name, std::string_view name, PatchType how,
                const manifest::Value& patch, const WriteOptions& options, bool& made);
  // The object is changed by `edit`, again where it has changed meanwhile.
  using Edit = std::function<ApiResult<manifest::Value>(const manifest::Value& live)>;
  Written Change(const ResourceType& type, std::string_view namespace_name, std::string_view name, const Edit& edit,
                 const WriteOptions& options);
  // The last state, `gone` or with finalizers that are still to be done.
  //
  // A namespace is Terminating first, and takes no new objects from then on; it goes once it has none, at once where
  // none of them has finalizers, else with a call of FinishNamespace().
  Written Delete(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                 const DeleteOptions& options, bool& gone);

  // Of a namespace that is Terminating: deletes what is in it, and then the namespace. False: something is left, as
  // what has finalizers is, or what could not be deleted now, where the disk is full.
  bool FinishNamespace(std::string_view name);

  apiserver::ObjectStore& store() { return store_; }
  // RFC 3339, in UTC.
  std::string Now() const;

 private:
  ApiResult<void> CheckNew(const ResourceType& type, std::string_view namespace_name, manifest::Value& object) const;
  ApiResult<manifest::Value> Complete(const ResourceType& type, const manifest::Value& live, manifest::Value object,
                                      const WriteOptions& options) const;
  // Whether an edit has recorded its manager in managedFields itself, as server-side apply does, or Change() does that.
  enum class Recorded { kUpdate, kApplied };
  Written Change(const ResourceType& type, std::string_view namespace_name, std::string_view name, const Edit& edit,
                 const WriteOptions& options, Recorded recorded);
  Written Apply(const ResourceType& type, std::string_view namespace_name, std::string_view name,
                const manifest::Value& patch, const WriteOptions& options, bool& made);
  Written Commit(const ResourceType& type, apiserver::ObjectStore::Write write, manifest::Value object, bool dry_run);
  // Whether nothing is left.
  bool DeleteContents(std::string_view namespace_name);

  apiserver::ObjectStore& store_;
  const Admission& admission_;
  const base::Clock& clock_;
};

}  // namespace inferd::apiserver
