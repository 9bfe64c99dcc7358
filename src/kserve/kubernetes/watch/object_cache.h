#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "kserve/kubernetes/watch/list_watch.h"

namespace inferd::kubernetes {

using ObjectPointer = std::shared_ptr<const manifest::Value>;

// The objects of a resource as they were last heard of, filled by a ListWatch. Thread-safe, but for the calls of the
// ListWatch, which come from one thread.
class ObjectCache final : public ObjectSink {
 public:
  // What has become of an object; null: it was not there before, or is not now. Both: it changed, or is told again.
  struct Change {
    ObjectName name;
    ObjectPointer before;
    ObjectPointer now;
  };
  using OnChange = std::function<void(const Change&)>;
  using OnTrouble = std::function<void(const ApiError&)>;

  // Both are called on the ListWatch's thread, without a lock. `on_trouble` may be null.
  explicit ObjectCache(OnChange on_change, OnTrouble on_trouble = nullptr)
      : on_change_(std::move(on_change)), on_trouble_(std::move(on_trouble)) {}

  // Null: there is none, or there was no list yet.
  ObjectPointer Find(const ObjectName& name) const;
  // In order of namespaces and names.
  std::vector<ObjectPointer> All() const;
  // Whether there has been a list, all of which was told: what is not here then does not exist.
  bool synced() const;

  // Tells all objects again, as if they had changed; on the thread that calls.
  void Resync() const;

  // ObjectSink.
  void OnList(ObjectList list) override;
  void OnEvent(WatchEvent event) override;
  void OnError(const ApiError& error) override;

 private:
  using Objects = std::map<ObjectName, ObjectPointer>;

  const OnChange on_change_;
  const OnTrouble on_trouble_;
  mutable base::Mutex mutex_;
  Objects objects_ GUARDED_BY(mutex_);
  bool synced_ GUARDED_BY(mutex_) = false;
};

}  // namespace inferd::kubernetes
