#pragma once

#include <stop_token>
#include <thread>
#include <utility>

#include "kserve/kubernetes/watch/list_watch.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::kubernetes {

// A cache of the objects of a resource, with a thread that watches them.
//
//   Informer services(client, InferenceServices(), {}, [&](const ObjectCache::Change& change) { queue.Add(change.name);
//   }); services.objects().Find({"models", "iris"})
//
// The destructor may take a second, plus the time of a running `on_change` call.
class Informer final {
 public:
  // The client must outlive the informer. The functions are those of ObjectCache, and are called on the informer's
  // thread.
  Informer(Client& client, Resource resource, Selection selection, ObjectCache::OnChange on_change,
           ObjectCache::OnTrouble on_trouble = nullptr, ListWatchOptions options = {})
      : objects_(std::move(on_change), std::move(on_trouble)),
        list_watch_(client, std::move(resource), std::move(selection), objects_, std::move(options)),
        thread_([this](const std::stop_token& stop) { list_watch_.Run(stop); }) {}

  // Requests a stop, so that several informers can stop in parallel.
  void RequestStop() { thread_.request_stop(); }

  const ObjectCache& objects() const { return objects_; }

 private:
  ObjectCache objects_;
  ListWatch list_watch_;
  std::jthread thread_;
};

}  // namespace inferd::kubernetes
