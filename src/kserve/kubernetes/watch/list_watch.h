#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "kserve/kubernetes/client/client.h"
#include "storage/transfer/backoff.h"

namespace inferd::kubernetes {

// Receives the objects of a resource. Calls are sequential, on the thread that runs the ListWatch.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  // Receives the complete list: first at the start, and again whenever changes may have been missed. Objects that are
  // not in the list are gone.
  virtual void OnList(ObjectList list) = 0;
  // Receives a change after the list. Bookmarks are not passed on.
  virtual void OnEvent(WatchEvent event) = 0;
  // The server answers a watch normally (a bookmark, or the watch's end), so that the known state is up to date.
  virtual void OnProgress() {}
  // The server cannot be reached, or refuses the request. The ListWatch retries.
  virtual void OnError(const ApiError& error) = 0;
};

struct ListWatchOptions {
  ListOptions list{};
  // The time limit of one watch. Random, up to twice this, so that watches do not end together.
  std::chrono::seconds watch_time{5 * 60};
  storage::RetryPolicy retry{.first_pause = std::chrono::milliseconds(500),
                             .pause_max = std::chrono::milliseconds(30'000)};  // no limit of attempts
  Pause pause = storage::PauseFor;
  // Removes unneeded fields from an object before it is passed on. It must keep names, uids and versions. May be empty.
  std::function<void(manifest::Value& object)> trim{};
};

// Lists the objects of a resource, and then watches their changes. An interrupted watch continues after its last
// complete event. If the server no longer has that state (410), the objects are listed again. The caller must use one
// thread.
class ListWatch final {
 public:
  // The client and the sink must outlive this.
  ListWatch(Client& client, Resource resource, Selection selection, ObjectSink& sink, ListWatchOptions options = {})
      : client_(client),
        resource_(std::move(resource)),
        selection_(std::move(selection)),
        sink_(sink),
        options_(std::move(options)) {}

  // Blocks until `stop`.
  void Run(const std::stop_token& stop);

 private:
  // Lists the objects, and passes them to the sink. Returns true if that succeeded.
  bool List(const std::stop_token& stop);
  bool Watch(const std::stop_token& stop);

  Client& client_;
  const Resource resource_;
  const Selection selection_;
  ObjectSink& sink_;
  const ListWatchOptions options_;
  std::string version_;  // the last known version; empty if the objects must be listed
};

}  // namespace inferd::kubernetes
