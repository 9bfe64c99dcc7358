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
  size_t object_bytes_max = 1'500'000;  // of one JSON text (etcd: the size of a request)
  size_t bytes_max = 512 << 20;         // of all of them
  size_t history_changes_max = 20'000;  // that a watch can begin behind
  size_t history_bytes_max = 64 << 20;
};

// Objects with one revision, which grows with every write. All of them are in memory; each write is on disk before it
// is acknowledged or seen. Thread-safe.
class ObjectStore final {
 public:
  // `path`: of the SQLite database; empty: nothing outlives this object. Errors: Database's.
  static base::Result<std::unique_ptr<ObjectStore>> Open(const std::string& path, const StoreLimits& limits = {});
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  // The last write's.
  int64_t revision() const;
  // Null: there is none.
  ObjectPtr Get(const ObjectKey& key) const;

  struct Listed {
    std::vector<ObjectPtr> objects;  // by namespace and name
    int64_t revision = 0;            // they are the state as of it
  };
  // Those of a resource, of one namespace or of all (empty).
  Listed List(const std::string& resource, const std::string& namespace_name) const;

  // What is to become of an object: its JSON under a revision, or its removal, whose last state that is.
  struct Write {
    ObjectKey key;
    int64_t expected = 0;  // the revision that the object has now; 0: there is none
    std::function<std::string(int64_t revision)> json;
    bool remove = false;
  };
  // ABORTED: the object has another revision, is there already, or is gone. RESOURCE_EXHAUSTED: a limit, or memory.
  // UNAVAILABLE: the disk. After an error nothing was changed. Blocks until it is on disk.
  base::Result<ObjectPtr> Commit(Write write);

  // The changes behind a revision, of a resource (empty: of all), at most `max` of them. OUT_OF_RANGE: they are not
  // kept any more, or the revision is of the future.
  struct Changes {
    std::vector<Change> changes;
    int64_t revision = 0;  // where the next call goes on
  };
  base::Result<Changes> ChangesSince(int64_t revision, const std::string& resource, size_t max) const;

  // True if ChangesSince(revision) has all changes: what was replaced since is kept for them anyway.
  bool Keeps(int64_t revision) const;

  // `on_change` is called behind each write, on the thread that has written: it must not block, nor call the store.
  // Gone once Unsubscribe has returned.
  uint64_t Subscribe(std::function<void()> on_change);
  void Unsubscribe(uint64_t id);

 private:
  // A write that waits for its turn, and what has become of it.
  struct Pending {
    Write write;
    std::optional<base::Result<ObjectPtr>> result = std::nullopt;
    Change change = {};
    bool settled = false;  // under queue_mutex_: the result is that, and the thread that waits may take it
  };
  using Objects = std::map<ObjectKey, ObjectPtr>;

  ObjectStore(std::unique_ptr<Database> database, const StoreLimits& limits)
      : limits_(limits), database_(std::move(database)) {}
  base::Status Load();
  void CommitAll(const std::vector<Pending*>& group) noexcept;
  // `staged`: what the group makes of objects, by key; null: removed.
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

  const std::unique_ptr<Database> database_;  // of the thread that commits

  mutable base::Mutex mutex_;
  Objects objects_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  int64_t revision_ GUARDED_BY(mutex_) = 0;
  std::deque<Change> history_ GUARDED_BY(mutex_);
  size_t history_bytes_ GUARDED_BY(mutex_) = 0;
  int64_t history_begin_ GUARDED_BY(mutex_) = 0;  // changes behind this revision are kept

  base::Mutex subscribers_mutex_;
  std::map<uint64_t, std::function<void()>> subscribers_ GUARDED_BY(subscribers_mutex_);
  uint64_t next_subscriber_ GUARDED_BY(subscribers_mutex_) = 1;
};

}  // namespace inferd::apiserver
