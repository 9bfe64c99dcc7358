#include "kserve/apiserver/http/api_calls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/http/discovery.h"
#include "kserve/apiserver/http/log_query.h"
#include "kserve/apiserver/http/request_body.h"
#include "kserve/apiserver/http/response_form.h"
#include "kserve/apiserver/http/table.h"

namespace inferd::apiserver {

namespace {

using manifest::Value;
using net::Method;

WriteOptions OptionsOf(const net::RequestHead& head, const ApiPath& path, const Query& query) {
  WriteOptions options;
  options.manager = query.Get("fieldManager");
  if (options.manager.empty()) {
    const std::string_view agent = head.Find("User-Agent").value_or("unknown");
    options.manager = agent.substr(0, agent.find('/'));
  }
  options.manager.resize(std::min<size_t>(options.manager.size(), 128));
  options.status = path.subresource == "status";
  options.dry_run = query.Get("dryRun") == "All";
  options.force = query.IsTrue("force");
  return options;
}

ApiResult<std::vector<std::string>> CheckFields(const Value& object, const Query& query) {
  const std::string_view how = query.Get("fieldValidation");
  if (how != "Strict" && how != "Warn") return std::vector<std::string>();
  std::vector<std::string> unknown = UnknownFieldsOf(object);
  if (how == "Warn" || unknown.empty()) return unknown;
  std::string text;
  for (const std::string& field : unknown) text += (text.empty() ? "" : ", ") + field;
  const std::string version = TextAt(object, {"apiVersion"});
  return std::unexpected(BadRequestError(TextAt(object, {"kind"}) + " in version \"" +
                                         version.substr(version.find('/') + 1) + "\" cannot be handled as a " +
                                         TextAt(object, {"kind"}) + ": strict decoding error: " + text));
}

void Warn(net::HttpResponse& response, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::string quoted;
    for (const char c : warning) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    response.headers.emplace_back("Warning", "299 - \"" + quoted + "\"");
  }
}

// The objects are the store's own memory, not copies.
net::HttpResponse ListResponse(const ResourceType& type, const Value& metadata, const std::vector<ObjectPtr>& objects) {
  const std::string head = "{\"kind\":\"" + std::string(type.kind) + "List\",\"apiVersion\":\"" + type.api_version() +
                           "\",\"metadata\":" + manifest::ToJson(metadata) + ",\"items\":[";
  net::HttpResponse response = JsonResponse(200, "");
  response.body = {base::BufferSlice(base::Buffer::CopyOf(head))};
  for (size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) response.body.emplace_back(base::Buffer::CopyOf(","));
    response.body.push_back(SliceOf(objects[i]));
  }
  response.body.emplace_back(base::Buffer::CopyOf("]}\n"));
  return response;
}

}  // namespace

net::HttpResponse ApiCalls::Answer(const net::HttpRequest& request) {
  Answered answered = Call(request);
  return answered.has_value() ? *std::move(answered) : ErrorResponse(answered.error());
}

ApiCalls::Answered ApiCalls::Call(const net::HttpRequest& request) {
  const net::RequestHead& head = request.head;
  if (auto document = FindDocument(head); document.has_value()) {
    if (head.method != Method::kGet && head.method != Method::kHead) return std::unexpected(MethodNotAllowedError());
    return net::HttpResponse::Text(200, document->content_type, document->text);
  }
  const auto path = ParseApiPath(head);
  if (!path.has_value()) return std::unexpected(UnknownPathError());
  const Query query(head.query);
  const bool known = path->subresource.empty() || (path->subresource == "status" && path->type->has_status) ||
                     (path->subresource == "log" && path->type->kind == "Pod");
  if (!known) return std::unexpected(UnknownPathError());
  return path->name.empty() ? OnCollection(request, *path, query) : OnObject(request, *path, query);
}

ApiCalls::Answered ApiCalls::OnCollection(const net::HttpRequest& request, const ApiPath& path, const Query& query) {
  switch (request.head.method) {
    case Method::kPost: return Create(request, path, query);
    case Method::kDelete: return DeleteAll(request, path, query);
    default: return std::unexpected(MethodNotAllowedError());
  }
}

ApiCalls::Answered ApiCalls::OnObject(const net::HttpRequest& request, const ApiPath& path, const Query& query) {
  const ResourceType& type = *path.type;
  const bool reads = request.head.method == Method::kGet || request.head.method == Method::kHead;
  if (path.subresource == "log") return reads ? Log(path, query) : Answered(std::unexpected(MethodNotAllowedError()));
  if (reads) return Show(request, path, query, 200, registry_.Get(type, path.namespace_name, path.name));
  switch (request.head.method) {
    case Method::kPatch: return Patch(request, path, query);
    case Method::kDelete:
      if (!path.subresource.empty()) break;
      return Delete(request, path);
    case Method::kPut: {
      auto body = ReadBody(request);
      if (!body.has_value()) return std::unexpected(body.error());
      auto warnings = CheckFields(*body, query);
      if (!warnings.has_value()) return std::unexpected(warnings.error());
      auto shown = Show(request, path, query, 200,
                        registry_.Update(type, path.namespace_name, path.name, *std::move(body),
                                         OptionsOf(request.head, path, query)));
      if (shown.has_value()) Warn(*shown, *warnings);
      return shown;
    }
    default: break;
  }
  return std::unexpected(MethodNotAllowedError());
}

ApiCalls::Answered ApiCalls::Show(const net::HttpRequest& request, const ApiPath& path, const Query& query, int status,
                                  const Registry::Written& written) const {
  if (!written.has_value()) return std::unexpected(written.error());
  const RowForm form = RowFormOf(request.head, query);
  if (!form.table) return ObjectResponse(status, *written);
  const std::array<Value, 1> objects = {ParseStored((*written)->json)};
  return JsonResponse(status, manifest::ToJson(TableOf(*path.type, objects, form.with, EpochSeconds(clock_))));
}

ApiCalls::Answered ApiCalls::Create(const net::HttpRequest& request, const ApiPath& path, const Query& query) {
  auto body = ReadBody(request);
  if (!body.has_value()) return std::unexpected(body.error());
  if (path.type->namespaced && path.namespace_name.empty()) return std::unexpected(MethodNotAllowedError());
  auto warnings = CheckFields(*body, query);
  if (!warnings.has_value()) return std::unexpected(warnings.error());
  auto shown =
      Show(request, path, query, 201,
           registry_.Create(*path.type, path.namespace_name, *std::move(body), OptionsOf(request.head, path, query)));
  if (shown.has_value()) Warn(*shown, *warnings);
  return shown;
}

ApiCalls::Answered ApiCalls::Patch(const net::HttpRequest& request, const ApiPath& path, const Query& query) {
  auto patch = ReadPatch(request);
  if (!patch.has_value()) return std::unexpected(patch.error());
  const WriteOptions options = OptionsOf(request.head, path, query);
  if (patch->type == PatchType::kApply && query.Get("fieldManager").empty()) {
    return std::unexpected(
        BadRequestError("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                        "required for apply patch"));
  }
  if (patch->type == PatchType::kApply) {
    if (auto checked = CheckFields(patch->document, query); !checked.has_value())
      return std::unexpected(checked.error());
  }
  bool made = false;
  const auto written =
      registry_.Patch(*path.type, path.namespace_name, path.name, patch->type, patch->document, options, made);
  return Show(request, path, query, made ? 201 : 200, written);
}

ApiCalls::Answered ApiCalls::Delete(const net::HttpRequest& request, const ApiPath& path) {
  const ResourceType& type = *path.type;
  if (!type.writable) return std::unexpected(MethodNotAllowedError());
  const auto options = ReadDeleteOptions(request);
  if (!options.has_value()) return std::unexpected(options.error());
  bool gone = false;
  const auto deleted = registry_.Delete(type, path.namespace_name, path.name, *options, gone);
  if (!deleted.has_value()) return std::unexpected(deleted.error());
  if (!gone) return JsonResponse(200, (*deleted)->json);
  Value details = Value::Map({{"name", Value::String(std::string(path.name))},
                              {"group", Value::String(std::string(type.group))},
                              {"kind", Value::String(std::string(type.plural))},
                              {"uid", Value::String(TextAt(ParseStored((*deleted)->json), {"metadata", "uid"}))}});
  return JsonResponse(200, manifest::ToJson(Value::Map({{"kind", Value::String("Status")},
                                                        {"apiVersion", Value::String("v1")},
                                                        {"metadata", Value::Map()},
                                                        {"status", Value::String("Success")},
                                                        {"details", std::move(details)}})));
}

ApiCalls::Answered ApiCalls::DeleteAll(const net::HttpRequest& request, const ApiPath& path, const Query& query) {
  const ResourceType& type = *path.type;
  if (!type.writable) return std::unexpected(MethodNotAllowedError());
  const auto selector = Selector::Parse(type, query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selector.has_value()) return std::unexpected(selector.error());
  const auto options = ReadDeleteOptions(request);
  if (!options.has_value()) return std::unexpected(options.error());
  const auto listed = registry_.store().List(type.resource(), std::string(path.namespace_name));
  std::vector<ObjectPtr> deleted;
  for (const ObjectPtr& object : listed.objects) {
    if (!selector->empty() && !selector->Matches(ParseStored(object->json))) continue;
    bool gone = false;
    auto last = registry_.Delete(type, object->key.namespace_name, object->key.name,
                                 {.propagation = options->propagation, .dry_run = options->dry_run}, gone);
    // An object that someone else has deleted meanwhile is no error.
    if (!last.has_value() && last.error().code != 404) return std::unexpected(last.error());
    if (last.has_value()) deleted.push_back(*std::move(last));
  }
  const Value metadata = Value::Map({{"resourceVersion", Value::String(std::to_string(registry_.store().revision()))}});
  return ListResponse(type, metadata, deleted);
}

ApiCalls::Answered ApiCalls::Log(const ApiPath& path, const Query& query) const {
  auto pod = registry_.Get(*path.type, path.namespace_name, path.name);
  if (!pod.has_value()) return std::unexpected(pod.error());
  if (logs_ == nullptr) return std::unexpected(NotFoundError(*path.type, path.name));
  const auto chosen = ReadLogQuery(query, std::chrono::system_clock::now());
  if (!chosen.has_value()) return std::unexpected(chosen.error());
  const auto log = ReadChosenLog(*logs_, path, *chosen);
  if (!log.has_value()) return std::unexpected(log.error());
  return net::HttpResponse::Text(200, "text/plain", log->text);
}

}  // namespace inferd::apiserver
