#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "kserve/kubernetes/watch/list_watch.h"

namespace inferd::kubernetes {

using ObjectPointer = std::shared_ptr<const manifest::Value>;

// A cache of the objects of a resource, filled by a ListWatch. Thread-safe, except the ObjectSink calls, which come
// from one thread.
class ObjectCache final : public ObjectSink {
 public:
  // A change of an object. `before` is null if it was added, `now` if it was deleted. With both it was changed, or is
  // reported again.
  struct Change {
    ObjectName name;
    ObjectPointer before;
    ObjectPointer now;
  };
  using OnChange = std::function<void(const Change&)>;
  using OnTrouble = std::function<void(const ApiError&)>;

  // Both functions are called on the ListWatch's thread, without a lock. `on_trouble` may be null.
  explicit ObjectCache(OnChange on_change, OnTrouble on_trouble = nullptr)
      : on_change_(std::move(on_change)), on_trouble_(std::move(on_trouble)) {}

  // Null if there is no such object, or no list has been received yet.
  ObjectPointer Find(const ObjectName& name) const;
  // Returns the objects, sorted by namespace and name.
  std::vector<ObjectPointer> All() const;
  // True if a complete list has been received. From then on an object that the cache lacks does not exist.
  bool synced() const;

  // Returns how many requests in a row the server failed to answer, or refused. If more than a few, the cache may be
  // out of date.
  int failures() const;

  // Reports all objects again, as if they had changed, on the calling thread.
  void Resync() const;

  // ObjectSink.
  void OnList(ObjectList list) override;
  void OnEvent(WatchEvent event) override;
  void OnProgress() override;
  void OnError(const ApiError& error) override;

 private:
  using Objects = std::map<ObjectName, ObjectPointer>;

  const OnChange on_change_;
  const OnTrouble on_trouble_;
  mutable base::Mutex mutex_;
  Objects objects_ GUARDED_BY(mutex_);
  bool synced_ GUARDED_BY(mutex_) = false;
  int failures_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::kubernetes
