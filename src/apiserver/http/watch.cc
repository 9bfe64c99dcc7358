#include "apiserver/http/watch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "apiserver/objects/admission.h"
#include "manifest/print.h"
#include "manifest/value_path.h"

namespace inferd::apiserver {

namespace {

using manifest::Text;
using manifest::Value;
using objectstore::Change;
using objectstore::ObjectPtr;

constexpr size_t kChangesAtOnce = 200;
constexpr int kTicksPerBookmark = 25;
constexpr int64_t kTimeoutMax = 3600;
constexpr int64_t kNsPerSecond = 1'000'000'000;

}  // namespace

ApiResult<WatchRequest> ReadWatchRequest(const net::RequestHead& head, const ApiPath& path, const Query& query) {
  WatchRequest watch;
  watch.type = path.type;
  watch.namespace_name = path.namespace_name;
  watch.name = path.name;
  auto selector = Selector::Parse(*path.type, query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selector.has_value()) return std::unexpected(selector.error());
  watch.selector = *std::move(selector);
  watch.form = RowFormOf(head, query);
  if (const std::string_view text = query.Get("resourceVersion"); !text.empty()) {
    const auto revision = query.GetNumber("resourceVersion");
    if (!revision.has_value()) {
      return std::unexpected(BadRequestError("Invalid value: \"" + std::string(text) + "\": resourceVersion"));
    }
    watch.revision = *revision;
  }
  watch.bookmarks = query.IsTrue("allowWatchBookmarks");
  watch.initial_end = query.IsTrue("sendInitialEvents") && watch.bookmarks;
  if (query.IsTrue("sendInitialEvents")) watch.revision = 0;
  if (const auto seconds = query.GetNumber("timeoutSeconds"); seconds.has_value() && *seconds > 0) {
    watch.timeout = std::chrono::seconds(std::min(*seconds, kTimeoutMax));
  }
  return watch;
}

Watch::Watch(const objectstore::ObjectStore& store, const base::Clock& clock, WatchRequest request, net::Reply reply)
    : Stream(std::move(reply), request.timeout), store_(store), clock_(clock), request_(std::move(request)) {}

void Watch::Start() {
  revision_ = told_revision_ = request_.revision;
  if (revision_ > 0) {
    if (const auto kept = store_.ChangesSince(revision_, "-", 1); !kept.has_value()) {
      return Refuse(ErrorResponse(ExpiredError(kept.error().message())));
    }
  }
  net::HttpResponse head;
  head.content_type = kJsonType;
  reply().Start(std::move(head));
  if (revision_ == 0) TellAll();
  Pump();
}

// The changes are told in the order of their revisions, and what there is already in that of the names.
void Watch::TellAll() {
  const auto listed = store_.List(request_.type->resource(), request_.namespace_name);
  for (const ObjectPtr& object : listed.objects) {
    Value value;
    if (Wanted(object, value)) TellObject("ADDED", value);
  }
  revision_ = told_revision_ = listed.revision;
  if (request_.initial_end) TellBookmark(true);
}

void Watch::Pump() {
  while (!over() && !full()) {
    auto changes = store_.ChangesSince(revision_, request_.type->resource(), kChangesAtOnce);
    if (!changes.has_value()) return Fail(ExpiredError(changes.error().message()));
    for (const Change& change : changes->changes) Tell(change);
    revision_ = changes->revision;
    if (changes->changes.size() < kChangesAtOnce) return;
  }
}

bool Watch::Wanted(const ObjectPtr& object, Value& value) const {
  if (object == nullptr) return false;
  if (!request_.namespace_name.empty() && object->key.namespace_name != request_.namespace_name) return false;
  if (!request_.name.empty() && object->key.name != request_.name) return false;
  value = ParseStored(object->json);
  return request_.selector.Matches(value);
}

void Watch::Tell(const Change& change) {
  Value value;
  Value before;
  const bool is = Wanted(change.object, value);
  const bool was = change.type == Change::Type::kDeleted ? is : Wanted(change.before, before);
  told_revision_ = std::max(told_revision_, is || was ? change.object->revision : 0);
  if (change.type == Change::Type::kDeleted) {
    if (is) TellObject("DELETED", value);
  } else if (is) {
    TellObject(was ? "MODIFIED" : "ADDED", value);
  } else if (was) {
    // It is there, but not among those that are wanted any more.
    TellObject("DELETED", ParseStored(change.object->json));
  }
}

void Watch::TellObject(std::string_view event, const Value& object) {
  Value line = Value::Map({{"type", Text(event)}});
  if (request_.form.table) {
    line.Set("object",
             TableOf(*request_.type, std::span(&object, 1), request_.form.with, clock_.WallNs() / kNsPerSecond));
  } else {
    line.Set("object", object);
  }
  Write(manifest::ToJson(line) + "\n");
}

void Watch::TellBookmark(bool initial_end) {
  Value metadata = Value::Map({{"resourceVersion", Text(std::to_string(revision_))}, {"creationTimestamp", Value()}});
  if (initial_end) metadata.MapAt("annotations").Set("k8s.io/initial-events-end", Text("true"));
  const Value object = Value::Map({{"kind", Text(request_.type->kind)},
                                   {"apiVersion", Text(request_.type->api_version())},
                                   {"metadata", std::move(metadata)}});
  told_revision_ = revision_;
  Value line = Value::Map({{"type", Text("BOOKMARK")}});
  line.Set("object", request_.form.table ? Value::Map({{"kind", Text("Table")},
                                                       {"apiVersion", Text("meta.k8s.io/v1")},
                                                       {"metadata", *object.Find("metadata")},
                                                       {"columnDefinitions", Value()},
                                                       {"rows", Value::List()}})
                                         : object);
  Write(manifest::ToJson(line) + "\n");
}

void Watch::Tick() {
  if (++ticks_ % kTicksPerBookmark == 0 && request_.bookmarks && revision_ > told_revision_) TellBookmark(false);
}

void Watch::Finish() {
  if (!full() && request_.bookmarks && revision_ > told_revision_) TellBookmark(false);
  End();
}

void Watch::Fail(const ApiError& error) {
  Write(manifest::ToJson(Value::Map({{"type", Text("ERROR")}, {"object", StatusOf(error)}})) + "\n");
  End();
}

}  // namespace inferd::apiserver
