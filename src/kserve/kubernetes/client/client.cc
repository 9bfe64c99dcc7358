#include "kserve/kubernetes/client/client.h"

#include "base/text/percent.h"
#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"

namespace inferd::kubernetes {

namespace {

using manifest::Kind;
using manifest::Value;

constexpr manifest::Limits kAnswerLimits = {
    .file_bytes_max = 64 << 20, .members_max = 65'536, .nodes_max = 4'000'000, .bytes_max = 64 << 20};
constexpr size_t kEventBytesMax = 16 << 20;
constexpr std::chrono::seconds kWatchGrace{30};
constexpr int kListTries = 3;
// The pauses are random, so that two programs that change the same object do not stay in step.
constexpr storage::RetryPolicy kConflicts = {
    .attempts = 10, .first_pause = std::chrono::milliseconds(10), .pause_max = std::chrono::milliseconds(1000)};
constexpr std::string_view kJsonType = "application/json";

// Builds "?a=b&c=d" from the parameters that have a value.
class Parameters final {
 public:
  Parameters& Add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    text_ += text_.empty() ? '?' : '&';
    text_ += std::string(name) + "=" + base::PercentEncoded(value);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Parameters ParametersOf(const Selection& selection) {
  Parameters parameters;
  parameters.Add("labelSelector", selection.label_selector).Add("fieldSelector", selection.field_selector);
  return parameters;
}

Parameters ParametersOf(const std::string& field_manager, bool dry_run) {
  Parameters parameters;
  parameters.Add("fieldManager", field_manager).Add("dryRun", dry_run ? "All" : "");
  return parameters;
}

std::unexpected<ApiError> MalformedAnswer(const std::string& why) {
  return std::unexpected(
      ErrorWithoutAnswer({base::StatusCode::kDataLoss, "the API server's answer is malformed: " + why}));
}

std::unexpected<ApiError> Invalid(std::string why) {
  return std::unexpected(ErrorWithoutAnswer(base::InvalidArgument(std::move(why))));
}

ApiResult<Value> Document(std::string_view text) {
  auto documents = manifest::ReadJson(text, "answer", kAnswerLimits);
  if (!documents.has_value()) return MalformedAnswer(documents.error().message());
  if (documents->size() != 1 || !documents->front().is(Kind::kMap)) return MalformedAnswer("it is no object");
  return std::move(documents->front());
}

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson: return "application/json-patch+json";
    case PatchType::kMerge: return "application/merge-patch+json";
    case PatchType::kStrategic: break;
  }
  return "application/strategic-merge-patch+json";
}

// Lists of Kubernetes' own kinds have items without a type.
void SetType(const Resource& resource, Value& object) {
  if (object.Find("apiVersion") == nullptr) object.Set("apiVersion", Value::String(resource.api_version()));
  if (object.Find("kind") == nullptr) object.Set("kind", Value::String(resource.kind));
}

// Without this check, an empty name would address the whole collection.
std::optional<std::string> Unusable(const Resource& resource, const ObjectName& name) {
  if (name.name.empty()) return "the " + resource.kind + " has no name";
  if (resource.namespaced && name.namespace_name.empty()) {
    return "the " + resource.kind + " \"" + name.name + "\" has no namespace";
  }
  return std::nullopt;
}

}  // namespace

ApiResult<Value> Client::Call(ApiRequest request, const std::stop_token& stop) {
  auto body = sender_.Send(std::move(request), stop);
  if (!body.has_value()) return std::unexpected(std::move(body).error());
  return Document(*body);
}

ApiResult<Value> Client::GetDocument(const std::string& path, const std::stop_token& stop) {
  return Call({.path = path}, stop);
}

ApiResult<Value> Client::Get(const Resource& resource, const ObjectName& name, const std::stop_token& stop) {
  if (auto why = Unusable(resource, name)) return Invalid(*std::move(why));
  auto object = Call({.path = ObjectPath(resource, name)}, stop);
  if (object.has_value() && NameOf(*object).name != name.name) {
    return MalformedAnswer("it is not the " + resource.kind + " \"" + name.name + "\"");
  }
  return object;
}

ApiResult<std::string> Client::ListChunk(const Resource& resource, const Selection& selection, int64_t chunk,
                                         const std::string& from, ObjectList& list, const std::stop_token& stop) {
  Parameters parameters = ParametersOf(selection);
  if (chunk > 0) parameters.Add("limit", std::to_string(chunk));
  parameters.Add("continue", from);
  auto answer = Call({.path = CollectionPath(resource, selection.namespace_name) + parameters.text()}, stop);
  if (!answer.has_value()) return std::unexpected(std::move(answer).error());
  list.resource_version = ResourceVersionOf(*answer);
  if (list.resource_version.empty()) return MalformedAnswer("the list has no resourceVersion");
  std::string next = TextAt(*answer, {"metadata", "continue"});
  Value* const items = answer->Find("items");
  // An answer without `items` is no list, so it says nothing about objects.
  if (items == nullptr) return MalformedAnswer("it has no items");
  if (items->is(Kind::kNull)) return next;  // Go writes an empty list as null
  if (!items->is(Kind::kList)) return MalformedAnswer("its items are no list");
  for (Value& item : items->items()) {
    if (NameOf(item).name.empty()) return MalformedAnswer("an item has no name");
    SetType(resource, item);
    list.items.push_back(std::move(item));
  }
  if (!next.empty() && (items->items().empty() || next == from))
    return MalformedAnswer("the list goes on without an item");
  return next;
}

ApiResult<ObjectList> Client::ListChunks(const Resource& resource, const Selection& selection, int64_t chunk,
                                         const std::stop_token& stop) {
  ObjectList list;
  std::string from;
  do {
    auto next = ListChunk(resource, selection, chunk, from, list, stop);
    if (!next.has_value()) return std::unexpected(std::move(next).error());
    from = *std::move(next);
  } while (!from.empty());
  return list;
}

ApiResult<ObjectList> Client::List(const Resource& resource, const Selection& selection, const ListOptions& options,
                                   const std::stop_token& stop) {
  for (int tries = 1;; ++tries) {
    const bool whole = tries == kListTries;
    auto list = ListChunks(resource, selection, whole ? 0 : options.chunk, stop);
    if (list.has_value() || whole || !list.error().is_expired()) return list;
  }
}

ApiResult<void> Client::Watch(const Resource& resource, const Selection& selection, const WatchOptions& options,
                              const WatchDecoder::Sink& sink, const std::stop_token& stop) {
  Parameters parameters = ParametersOf(selection);
  parameters.Add("watch", "true")
      .Add("allowWatchBookmarks", "true")
      .Add("resourceVersion", options.resource_version)
      .Add("timeoutSeconds", std::to_string(options.time_limit.count()));
  WatchDecoder decoder(kEventBytesMax);
  auto streamed = sender_.Stream(
      {.path = CollectionPath(resource, selection.namespace_name) + parameters.text(),
       .time_limit = options.time_limit + kWatchGrace,
       .endless = true},
      [&](std::string_view bytes) { return decoder.Feed(bytes, sink); }, stop);
  if (streamed.has_value() && decoder.is_within_event()) {
    return std::unexpected(ErrorWithoutAnswer(base::Unavailable("the watch ended within an event")));
  }
  return streamed;
}

ApiResult<Value> Client::Create(const Resource& resource, const Value& object, const WriteOptions& options,
                                const std::stop_token& stop) {
  const std::string& namespace_name = TextAt(object, {"metadata", "namespace"});
  if (resource.namespaced && namespace_name.empty()) return Invalid("the " + resource.kind + " has no namespace");
  return Call(
      {.method = "POST",
       .path = CollectionPath(resource, namespace_name) + ParametersOf(options.field_manager, options.dry_run).text(),
       .content_type = std::string(kJsonType),
       .body = manifest::ToJson(object)},
      stop);
}

ApiResult<Value> Client::Update(const Resource& resource, const Value& object, const WriteOptions& options,
                                const std::stop_token& stop) {
  const ObjectName name = NameOf(object);
  if (auto why = Unusable(resource, name)) return Invalid(*std::move(why));
  return Call({.method = "PUT",
               .path = ObjectPath(resource, name, options.subresource) +
                       ParametersOf(options.field_manager, options.dry_run).text(),
               .content_type = std::string(kJsonType),
               .body = manifest::ToJson(object)},
              stop);
}

ApiResult<Value> Client::Apply(const Resource& resource, const Value& object, const ApplyOptions& options,
                               const std::stop_token& stop) {
  const ObjectName name = NameOf(object);
  if (auto why = Unusable(resource, name)) return Invalid(*std::move(why));
  if (options.field_manager.empty()) return Invalid("an apply has no field manager");
  Parameters parameters = ParametersOf(options.field_manager, options.dry_run);
  parameters.Add("force", options.force ? "true" : "");
  return Call({.method = "PATCH",
               .path = ObjectPath(resource, name, options.subresource) + parameters.text(),
               .content_type = "application/apply-patch+yaml",  // JSON is YAML
               .body = manifest::ToJson(object)},
              stop);
}

ApiResult<Value> Client::Patch(const Resource& resource, const ObjectName& name, PatchType type, const Value& patch,
                               const WriteOptions& options, const std::stop_token& stop) {
  if (auto why = Unusable(resource, name)) return Invalid(*std::move(why));
  return Call({.method = "PATCH",
               .path = ObjectPath(resource, name, options.subresource) +
                       ParametersOf(options.field_manager, options.dry_run).text(),
               .content_type = std::string(ContentType(type)),
               .body = manifest::ToJson(patch)},
              stop);
}

ApiResult<void> Client::Delete(const Resource& resource, const ObjectName& name, const DeleteOptions& options,
                               const std::stop_token& stop) {
  if (auto why = Unusable(resource, name)) return Invalid(*std::move(why));
  Value body = Value::Map({{"apiVersion", Value::String("v1")}, {"kind", Value::String("DeleteOptions")}});
  if (!options.uid.empty()) body.MapAt("preconditions").Set("uid", Value::String(options.uid));
  if (!options.resource_version.empty()) {
    body.MapAt("preconditions").Set("resourceVersion", Value::String(options.resource_version));
  }
  if (!options.propagation.empty()) body.Set("propagationPolicy", Value::String(options.propagation));
  if (options.grace_period_s.has_value()) body.Set("gracePeriodSeconds", Value::Int(*options.grace_period_s));
  auto sent = sender_.Send({.method = "DELETE",
                            .path = ObjectPath(resource, name),
                            .content_type = std::string(kJsonType),
                            .body = manifest::ToJson(body)},
                           stop);
  if (!sent.has_value()) return std::unexpected(std::move(sent).error());
  return {};
}

ApiResult<Value> Client::Modify(const Resource& resource, const ObjectName& name, const Change& change,
                                const WriteOptions& options, const std::stop_token& stop) {
  for (int tries = 1;; ++tries) {
    auto object = Get(resource, name, stop);
    if (!object.has_value()) return object;
    Value changed = *object;
    if (auto done = change(changed); !done.has_value()) return std::unexpected(std::move(done).error());
    if (changed == *object) return object;
    auto updated = Update(resource, changed, options, stop);
    if (updated.has_value() || !updated.error().is_conflict() || tries == kConflicts.attempts) return updated;
    if (!sender_.PauseBehind(tries - 1, kConflicts, stop)) return updated;
  }
}

}  // namespace inferd::kubernetes
