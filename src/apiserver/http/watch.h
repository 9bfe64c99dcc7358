#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "apiserver/http/response_form.h"
#include "apiserver/http/stream.h"
#include "apiserver/objects/selector.h"
#include "base/clock.h"
#include "net/http/http.h"
#include "objectstore/object_store.h"

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
  Watch(const objectstore::ObjectStore& store, const base::Clock& clock, WatchRequest request, net::Reply reply);

  void Start() override;
  void Pump() override;
  // Bookmarks.
  void Tick() override;
  void Finish() override;

 private:
  void TellAll();
  void Tell(const objectstore::Change& change);
  void TellObject(std::string_view event, const manifest::Value& object);
  void TellBookmark(bool initial_end);
  void Fail(const ApiError& error);
  bool Wanted(const objectstore::ObjectPtr& object, manifest::Value& value) const;

  const objectstore::ObjectStore& store_;
  const base::Clock& clock_;
  const WatchRequest request_;
  int64_t revision_ = 0;       // told up to
  int64_t told_revision_ = 0;  // that the client knows of
  int ticks_ = 0;
};

}  // namespace inferd::apiserver
