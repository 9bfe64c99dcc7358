#pragma once

#include <stop_token>
#include <thread>
#include <utility>

#include "kserve/kubernetes/watch/list_watch.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::kubernetes {

// Follows the objects of a resource on a thread of its own, for as long as it lives.
//
//   Informer services(client, InferenceServices(), {}, [&](const ObjectCache::Change& change) { queue.Add(change.name);
//   }); services.objects().Find({"models", "iris"})
//
// Its end may take a second, and as long as a call of `on_change` that runs.
class Informer final {
 public:
  // The client outlives it. The functions are ObjectCache's, and called on the thread of this one.
  Informer(Client& client, Resource resource, Selection selection, ObjectCache::OnChange on_change,
           ObjectCache::OnTrouble on_trouble = nullptr, ListWatchOptions options = {})
      : objects_(std::move(on_change), std::move(on_trouble)),
        list_watch_(client, std::move(resource), std::move(selection), objects_, std::move(options)),
        thread_([this](const std::stop_token& stop) { list_watch_.Run(stop); }) {}

  // Its end begins: where several end, they need not be waited for one after the other.
  void RequestStop() { thread_.request_stop(); }

  const ObjectCache& objects() const { return objects_; }

 private:
  ObjectCache objects_;
  ListWatch list_watch_;
  std::jthread thread_;
};

}  // namespace inferd::kubernetes
