#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "kserve/apiserver/http/response_form.h"
#include "kserve/apiserver/http/stream.h"
#include "kserve/apiserver/objects/selector.h"
#include "kserve/apiserver/store/object_store.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// The parameters of a watch.
struct WatchRequest {
  const ResourceType* type = nullptr;
  std::string namespace_name;  // empty for all
  std::string name;            // empty for all
  Selector selector;
  RowForm form;
  int64_t revision = 0;      // send the changes after it; 0: send all existing objects first
  bool bookmarks = false;    // also report the revision when nothing has changed
  bool initial_end = false;  // also mark the end of the existing objects (sendInitialEvents)
  std::chrono::seconds timeout{1800};
};

// Reads the parameters from a GET with watch=true.
ApiResult<WatchRequest> ReadWatchRequest(const net::RequestHead& head, const ApiPath& path, const Query& query);

// The response to a watch: events, each as a line of JSON. Ends with its timeout, when the client leaves, or when the
// client is too slow for the changes that the store keeps. Loop-bound. The store must outlive it.
class Watch final : public Stream {
 public:
  Watch(const apiserver::ObjectStore& store, const base::Clock& clock, WatchRequest request, net::Reply reply);

  void Start() override;
  void Pump() override;
  // Sends bookmarks.
  void Tick() override;
  void Finish() override;

 private:
  // Sends the existing objects, as far as the client reads. Processes at most `left` objects, and subtracts the
  // processed ones. Returns false if there are more.
  bool TellThere(size_t& left);
  void Tell(const apiserver::Change& change);
  void TellObject(std::string_view event, const apiserver::ObjectPtr& object);
  void TellBookmark(bool initial_end);
  void Fail(const ApiError& error);
  bool Wanted(const apiserver::ObjectPtr& object) const;

  const apiserver::ObjectStore& store_;
  const base::Clock& clock_;
  const WatchRequest request_;
  std::optional<ObjectStore::Listed> there_;  // until all of them are sent
  size_t told_of_there_ = 0;
  int64_t revision_ = 0;       // processed up to here
  int64_t told_revision_ = 0;  // the last revision that the client knows
  int ticks_ = 0;
};

}  // namespace inferd::apiserver
