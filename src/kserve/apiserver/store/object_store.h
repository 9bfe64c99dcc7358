#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "kserve/apiserver/store/database.h"
#include "kserve/apiserver/store/stored_object.h"

namespace inferd::apiserver {

struct StoreLimits {
  size_t objects_max = 100'000;
  size_t object_bytes_max = 1'500'000;  // of one object's JSON text (etcd: the limit of a request)
  size_t bytes_max = 512 << 20;         // of all texts together
  size_t history_changes_max = 20'000;  // kept changes, after which a watch can begin
  size_t history_bytes_max = 64 << 20;
};

// Objects with one common revision, which grows with every write. All objects are in memory. Each write is on disk
// before it is acknowledged or visible. Thread-safe.
class ObjectStore final {
 public:
  // Opens the SQLite database at `path`. If empty, the objects live in memory only. Errors are those of Database.
  static base::Result<std::unique_ptr<ObjectStore>> Open(const std::string& path, const StoreLimits& limits = {});
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  // Returns the revision of the last write.
  int64_t revision() const;
  // Returns the object. Null if there is none.
  ObjectPtr Get(const ObjectKey& key) const;

  struct Listed {
    std::vector<ObjectPtr> objects;  // sorted by namespace and name
    int64_t revision = 0;            // of this state
  };
  // Returns the objects of a resource, in one namespace or in all (empty).
  Listed List(const std::string& resource, const std::string& namespace_name) const;

  // A write: an object's new JSON for a given revision, or its removal. For a removal, `json` is the last state.
  struct Write {
    ObjectKey key;
    int64_t expected = 0;  // the object's current revision; 0 if it must not exist
    std::function<std::string(int64_t revision)> json;
    bool remove = false;
  };
  // Writes, and blocks until the write is on disk. ABORTED if the object has another revision, exists already, or is
  // gone. OUT_OF_RANGE if the object is too large. RESOURCE_EXHAUSTED if the store or the memory is full. UNAVAILABLE
  // if the disk fails. After an error, nothing has changed.
  base::Result<ObjectPtr> Commit(Write write);

  // The changes after a revision.
  struct Changes {
    std::vector<Change> changes;
    int64_t revision = 0;  // pass it to the next call
  };
  base::Result<Changes> ChangesSince(int64_t revision, const std::string& resource, size_t max) const;

  // True if ChangesSince(revision) still has all changes, so that they keep the replaced objects in memory anyway.
  bool Keeps(int64_t revision) const;

  // Calls `on_change` after each write, on the writing thread. It must not block, and must not call the store. It is
  // not called any more once Unsubscribe has returned.
  uint64_t Subscribe(std::function<void()> on_change);
  void Unsubscribe(uint64_t id);

 private:
  // A write that waits to be committed, with its result.
  struct Pending {
    Write write;
    std::optional<base::Result<ObjectPtr>> result = std::nullopt;
    Change change = {};
    bool settled = false;  // guarded by queue_mutex_: the result is final, and its thread may take it
  };
  using Objects = std::map<ObjectKey, ObjectPtr>;

  ObjectStore(std::unique_ptr<Database> database, const StoreLimits& limits)
      : limits_(limits), database_(std::move(database)) {}
  base::Status Load();
  void CommitAll(const std::vector<Pending*>& group) noexcept;
  // `staged` has the group's new objects by key. Null means removed.
  base::Status CommitToDatabase(const std::vector<Pending*>& group, Objects& staged, int64_t& revision);
  base::Status Stage(Pending& pending, Objects& staged, int64_t& revision, int64_t& bytes, int64_t& count);
  void Publish(const std::vector<Pending*>& group, Objects& staged, int64_t revision);
  void Remember(const std::vector<Pending*>& group) REQUIRES(mutex_);
  void Notify();

  const StoreLimits limits_;

  base::Mutex queue_mutex_;
  base::CondVar settled_;
  std::vector<Pending*> queue_ GUARDED_BY(queue_mutex_);
  bool committing_ GUARDED_BY(queue_mutex_) = false;

  const std::unique_ptr<Database> database_;  // used by the committing thread

  mutable base::Mutex mutex_;
  Objects objects_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  int64_t revision_ GUARDED_BY(mutex_) = 0;
  std::deque<Change> history_ GUARDED_BY(mutex_);
  size_t history_bytes_ GUARDED_BY(mutex_) = 0;
  int64_t history_begin_ GUARDED_BY(mutex_) = 0;  // changes after this revision are kept

  base::Mutex subscribers_mutex_;
  std::map<uint64_t, std::function<void()>> subscribers_ GUARDED_BY(subscribers_mutex_);
  uint64_t next_subscriber_ GUARDED_BY(subscribers_mutex_) = 1;
};

}  // namespace inferd::apiserver
