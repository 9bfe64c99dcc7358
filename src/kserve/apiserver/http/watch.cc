#include "kserve/apiserver/http/watch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/objects/admission.h"

namespace inferd::apiserver {

namespace {

using apiserver::Change;
using apiserver::ObjectPtr;
using manifest::Text;
using manifest::Value;

// The objects and changes to process in one turn of the loop, wanted or not.
constexpr size_t kAtOnce = 200;
constexpr int kTicksPerBookmark = 25;
constexpr int64_t kTimeoutMax = 3600;

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

Watch::Watch(const apiserver::ObjectStore& store, const base::Clock& clock, WatchRequest request, net::Reply reply)
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
  if (revision_ == 0) there_ = store_.List(request_.type->resource(), request_.namespace_name);
  Pump();
}

// Changes are sent in the order of their revisions, existing objects in the order of their names.
bool Watch::TellThere(size_t& left) {
  if (!there_.has_value()) return true;
  while (told_of_there_ < there_->objects.size()) {
    if (over() || full() || left == 0) return false;
    --left;
    const ObjectPtr object = std::move(there_->objects[told_of_there_++]);
    if (Wanted(object)) TellObject("ADDED", object);
  }
  revision_ = told_revision_ = there_->revision;
  there_.reset();
  if (request_.initial_end) TellBookmark(true);
  return true;
}

void Watch::Pump() {
  size_t left = kAtOnce;
  bool told = TellThere(left);
  while (told && left > 0 && !over() && !full()) {
    const size_t asked = left;
    auto changes = store_.ChangesSince(revision_, request_.type->resource(), asked);
    if (!changes.has_value()) return Fail(ExpiredError(changes.error().message()));
    for (const Change& change : changes->changes) Tell(change);
    revision_ = changes->revision;
    left -= changes->changes.size();
    if (changes->changes.size() < asked) return SetUnfinished(false);
  }
  SetUnfinished(left == 0 && !over());
}

bool Watch::Wanted(const ObjectPtr& object) const {
  if (object == nullptr) return false;
  if (!request_.namespace_name.empty() && object->key.namespace_name != request_.namespace_name) return false;
  if (!request_.name.empty() && object->key.name != request_.name) return false;
  return request_.selector.empty() || request_.selector.Matches(ParseStored(object->json));
}

void Watch::Tell(const Change& change) {
  const bool is = Wanted(change.object);
  const bool was = change.type == Change::Type::kDeleted ? is : Wanted(change.before);
  told_revision_ = std::max(told_revision_, is || was ? change.object->revision : 0);
  if (change.type == Change::Type::kDeleted) {
    if (is) TellObject("DELETED", change.object);
  } else if (is) {
    TellObject(was ? "MODIFIED" : "ADDED", change.object);
  } else if (was) {
    // The object still exists, but the selector no longer matches.
    TellObject("DELETED", change.object);
  }
}

void Watch::TellObject(std::string_view event, const ObjectPtr& object) {
  const std::string head = R"({"type":")" + std::string(event) + R"(","object":)";
  if (request_.form.table) {
    const Value value = ParseStored(object->json);
    return Write(
        head +
        manifest::ToJson(TableOf(*request_.type, std::span(&value, 1), request_.form.with, EpochSeconds(clock_))) +
        "}\n");
  }
  if (object->json.size() < kSharedBytesMin) return Write(head + object->json + "}\n");
  Write(head);
  Write(SliceOf(object));
  Write(std::string("}\n"));
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
