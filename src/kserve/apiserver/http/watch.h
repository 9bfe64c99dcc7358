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

// What a watch is of, and how it is told.
struct WatchRequest {
  const ResourceType* type = nullptr;
  std::string namespace_name;  // empty: all
  std::string name;            // empty: all
  Selector selector;
  RowForm form;
  int64_t revision = 0;      // behind which changes are told; 0: first all that there is
  bool bookmarks = false;    // also tell how far it is where nothing has changed
  bool initial_end = false;  // and when all that there is has been told (sendInitialEvents)
  std::chrono::seconds timeout{1800};
};

// Reads it of a GET with watch=true.
ApiResult<WatchRequest> ReadWatchRequest(const net::RequestHead& head, const ApiPath& path, const Query& query);

// One watch, as it is answered: an event in a line of JSON each, until its time is over, the client leaves, or it is
// too slow for the changes that are kept. Loop-bound; the store outlives it.
class Watch final : public Stream {
 public:
  Watch(const apiserver::ObjectStore& store, const base::Clock& clock, WatchRequest request, net::Reply reply);

  void Start() override;
  void Pump() override;
  // Bookmarks.
  void Tick() override;
  void Finish() override;

 private:
  // What there was when the watch began, as far as the client takes it, and at most `left` objects, of which it takes
  // those that it has looked at. False: there is more of it.
  bool TellThere(size_t& left);
  void Tell(const apiserver::Change& change);
  void TellObject(std::string_view event, const apiserver::ObjectPtr& object);
  void TellBookmark(bool initial_end);
  void Fail(const ApiError& error);
  bool Wanted(const apiserver::ObjectPtr& object) const;

  const apiserver::ObjectStore& store_;
  const base::Clock& clock_;
  const WatchRequest request_;
  std::optional<ObjectStore::Listed> there_;  // as long as not all of it is told
  size_t told_of_there_ = 0;
  int64_t revision_ = 0;       // told up to
  int64_t told_revision_ = 0;  // that the client knows of
  int ticks_ = 0;
};

}  // namespace inferd::apiserver
