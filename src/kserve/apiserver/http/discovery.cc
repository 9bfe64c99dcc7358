#include "kserve/apiserver/http/discovery.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/version/version.h"
#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/objects/resource_type.h"
#include "kserve/apiserver/openapi/document.h"
#include "kserve/apiserver/openapi/protobuf.h"

namespace inferd::apiserver {

namespace {

using manifest::Text;
using manifest::Value;

constexpr std::string_view kJson = "application/json";
// The form that kubectl asks for.
constexpr std::string_view kOpenApiProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

Value Texts(std::initializer_list<std::string_view> texts) {
  Value list = Value::List();
  for (const std::string_view text : texts) list.items().push_back(Text(text));
  return list;
}

Document Json(const Value& value) { return {kJson, manifest::ToJson(value) + "\n"}; }

// Returns the Kubernetes version whose API this resembles, with inferd's version appended.
Value Version() {
  std::string own(base::BuildVersion());
  std::ranges::replace(own, '+', '.');
  return Value::Map({{"major", Text("1")},
                     {"minor", Text("26")},
                     {"gitVersion", Text("v1.26.0+inferd-" + own)},
                     {"gitCommit", Text("")},
                     {"gitTreeState", Text("clean")},
                     {"buildDate", Text("1970-01-01T00:00:00Z")},
                     {"goVersion", Text("")},
                     {"compiler", Text("")},
                     {"platform", Text("linux/amd64")}});
}

std::set<std::string_view> VersionsOf(std::string_view group) {
  std::set<std::string_view> versions;
  for (const ResourceType& type : ResourceTypes()) {
    if (type.group == group) versions.insert(type.version);
  }
  return versions;
}

// The most stable version comes first, in Kubernetes' order: v1beta1, v1alpha1.
Value GroupOf(std::string_view group) {
  const std::set<std::string_view> versions = VersionsOf(group);
  Value list = Value::List();
  for (auto it = versions.rbegin(); it != versions.rend(); ++it) {
    list.items().push_back(
        Value::Map({{"groupVersion", Text(std::string(group) + "/" + std::string(*it))}, {"version", Text(*it)}}));
  }
  const Value preferred = list.items().front();
  return Value::Map({{"name", Text(group)}, {"versions", std::move(list)}, {"preferredVersion", preferred}});
}

Value Groups() {
  std::set<std::string_view> names;
  for (const ResourceType& type : ResourceTypes()) {
    if (!type.group.empty()) names.insert(type.group);
  }
  Value groups = Value::List();
  for (const std::string_view name : names) groups.items().push_back(GroupOf(name));
  return Value::Map({{"kind", Text("APIGroupList")}, {"apiVersion", Text("v1")}, {"groups", std::move(groups)}});
}

Value ResourceOf(const ResourceType& type, std::string_view subresource, Value verbs) {
  const std::string name = std::string(type.plural) + (subresource.empty() ? "" : "/" + std::string(subresource));
  Value resource = Value::Map({{"name", Text(name)},
                               {"singularName", Text(subresource.empty() ? type.singular : "")},
                               {"namespaced", Value::Bool(type.namespaced)},
                               {"kind", Text(type.kind)},
                               {"verbs", std::move(verbs)}});
  if (!subresource.empty() || type.short_names.empty()) return resource;
  Value names = Value::List();
  for (const std::string_view short_name : type.short_names) names.items().push_back(Text(short_name));
  resource.Set("shortNames", std::move(names));
  return resource;
}

std::optional<Document> Resources(std::string_view group, std::string_view version) {
  Value list = Value::List();
  for (const ResourceType& type : ResourceTypes()) {
    if (type.group != group || type.version != version) continue;
    list.items().push_back(ResourceOf(
        type, "",
        type.writable ? Texts({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"})
                      : Texts({"get", "list", "watch"})));
    if (type.has_status && type.writable) {
      list.items().push_back(ResourceOf(type, "status", Texts({"get", "patch", "update"})));
    }
    if (type.kind == "Pod") list.items().push_back(ResourceOf(type, "log", Texts({"get"})));
  }
  if (list.items().empty()) return std::nullopt;
  const std::string group_version =
      group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  return Json(Value::Map({{"kind", Text("APIResourceList")},
                          {"apiVersion", Text("v1")},
                          {"groupVersion", Text(group_version)},
                          {"resources", std::move(list)}}));
}

// Made once, because the documents never change.
Document OpenApiOneDocument(const net::RequestHead& head) {
  static const std::string json = manifest::ToJson(OpenApiV2()) + "\n";
  static const std::string protobuf = OpenApiProtobuf(OpenApiV2());
  const bool wants_protobuf = head.Find("Accept").value_or("").find("protobuf") != std::string_view::npos;
  return wants_protobuf ? Document{kOpenApiProtobuf, protobuf} : Document{kJson, json};
}

// Returns the documents below /openapi/v3.
std::optional<Document> OpenApiOfVersion(std::span<const std::string_view> path) {
  if (path.empty()) return Json(OpenApiV3Index());
  std::optional<Value> document;
  if (path.size() == 2 && path[0] == "api") document = OpenApiV3("", path[1]);
  if (path.size() == 3 && path[0] == "apis") document = OpenApiV3(path[1], path[2]);
  if (!document.has_value()) return std::nullopt;
  return Json(*document);
}

}  // namespace

std::optional<Document> FindDocument(const net::RequestHead& head) {
  const auto& path = head.segments;
  const auto is = [&](std::initializer_list<std::string_view> wanted) { return std::ranges::equal(path, wanted); };
  if (is({"version"})) return Json(Version());
  if (is({"healthz"}) || is({"livez"}) || is({"readyz"})) return Document{"text/plain", "ok"};
  if (is({"api"})) {
    return Json(Value::Map({{"kind", Text("APIVersions")}, {"versions", Texts({"v1"})}}));
  }
  if (is({"apis"})) return Json(Groups());
  if (is({"openapi", "v2"})) return OpenApiOneDocument(head);
  if (path.size() >= 2 && path[0] == "openapi" && path[1] == "v3") {
    return OpenApiOfVersion(std::span<const std::string_view>(path.begin(), path.end()).subspan(2));
  }
  if (path.size() == 2 && path[0] == "api") return Resources("", path[1]);
  if (path.size() == 2 && path[0] == "apis" && !VersionsOf(path[1]).empty()) {
    Value group = GroupOf(path[1]);
    group.Set("kind", Text("APIGroup"));
    group.Set("apiVersion", Text("v1"));
    return Json(group);
  }
  if (path.size() == 3 && path[0] == "apis") return Resources(path[1], path[2]);
  return std::nullopt;
}

}  // namespace inferd::apiserver
