#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "kserve/kubernetes/client/client.h"
#include "storage/transfer/backoff.h"

namespace inferd::kubernetes {

// Receives the objects of a resource. Calls come one after the other, on the thread that runs the ListWatch.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  // All that there are: the first call, and again after a time without knowledge of what happened. What is not among
  // them is gone.
  virtual void OnList(ObjectList list) = 0;
  // What has happened since. Bookmarks are not told.
  virtual void OnEvent(WatchEvent event) = 0;
  // The server cannot be asked, or refuses; it is tried again.
  virtual void OnError(const ApiError& error) = 0;
};

struct ListWatchOptions {
  ListOptions list{};
  std::chrono::seconds watch_time{5 * 60};  // of one watch; up to twice of it, by chance, so that not all end together
  storage::RetryPolicy retry{.first_pause = std::chrono::milliseconds(500),
                             .pause_max = std::chrono::milliseconds(30'000)};  // without end
  Pause pause = storage::PauseFor;
  // Takes off an object what its follower does not need, before it is handed on; empty: nothing. Names, uids and
  // versions stay.
  std::function<void(manifest::Value& object)> trim{};
};

// Follows the objects of a resource: lists them, and watches what becomes of them. A watch that ends or is cut goes on
// behind its last whole event; where the server does not keep what happened since (410), all is listed again. Used by
// one thread.
class ListWatch final {
 public:
  // The client and the sink outlive it.
  ListWatch(Client& client, Resource resource, Selection selection, ObjectSink& sink, ListWatchOptions options = {})
      : client_(client),
        resource_(std::move(resource)),
        selection_(std::move(selection)),
        sink_(sink),
        options_(std::move(options)) {}

  // Blocks until `stop`.
  void Run(const std::stop_token& stop);

 private:
  // Whether it was of use: something was learned.
  bool List(const std::stop_token& stop);
  bool Watch(const std::stop_token& stop);

  Client& client_;
  const Resource resource_;
  const Selection selection_;
  ObjectSink& sink_;
  const ListWatchOptions options_;
  std::string version_;  // up to which all is known; empty: nothing is
};

}  // namespace inferd::kubernetes
