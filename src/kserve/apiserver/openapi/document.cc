#include "kserve/apiserver/openapi/document.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/version/version.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/objects/resource_type.h"
#include "kserve/apiserver/openapi/schema.h"

namespace inferd::apiserver {

namespace {

using manifest::Text;
using manifest::Value;

enum class Dialect { kV2, kV3 };

std::string_view ReferencePrefix(Dialect dialect) {
  return dialect == Dialect::kV2 ? "#/definitions/" : "#/components/schemas/";
}

Value KindOf(const ResourceType& type) {
  return Value::Map({{"group", Text(type.group)}, {"kind", Text(type.kind)}, {"version", Text(type.version)}});
}

Value ApiInfo() { return Value::Map({{"title", Text("inferd-controller")}, {"version", Text(base::BuildVersion())}}); }

Value ParameterOf(std::string_view name, std::string_view text, Dialect dialect) {
  Value parameter = Value::Map({{"name", Text(name)}, {"in", Text("query")}, {"description", Text(text)}});
  if (dialect == Dialect::kV2) {
    parameter.Set("type", Text("string"));
  } else {
    parameter.Set("schema", Value::Map({{"type", Text("string")}}));
  }
  return parameter;
}

Value OperationOf(const ResourceType& type, std::string_view action, bool writes, Dialect dialect) {
  Value parameters = Value::List();
  if (writes) {
    parameters.items() = {
        ParameterOf("dryRun", "All: nothing is written.", dialect),
        ParameterOf("fieldManager", "Whose the fields are.", dialect),
        ParameterOf("fieldValidation", "What becomes of unknown fields: Strict, Warn or Ignore.", dialect)};
  }
  return Value::Map({{"parameters", std::move(parameters)},
                     {"responses", Value::Map({{"200", Value::Map({{"description", Text("OK")}})}})},
                     {"x-kubernetes-action", Text(action)},
                     {"x-kubernetes-group-version-kind", KindOf(type)}});
}

void AddPaths(const ResourceType& type, Dialect dialect, Value& paths) {
  std::string collection = type.group.empty() ? "/api/" : "/apis/";
  collection += type.api_version() + (type.namespaced ? "/namespaces/{namespace}/" : "/") + std::string(type.plural);
  Value list = Value::Map({{"get", OperationOf(type, "list", false, dialect)}});
  Value one = Value::Map({{"get", OperationOf(type, "get", false, dialect)}});
  if (type.writable) {
    list.Set("post", OperationOf(type, "post", true, dialect));
    one.Set("put", OperationOf(type, "put", true, dialect));
    one.Set("delete", OperationOf(type, "delete", true, dialect));
    one.Set("patch", OperationOf(type, "patch", true, dialect));
  }
  paths.Set(collection, std::move(list));
  paths.Set(collection + "/{name}", std::move(one));
}

}  // namespace

Value OpenApiV2() {
  Value paths = Value::Map();
  Value definitions = Value::Map();
  for (const ResourceType& type : ResourceTypes()) {
    AddPaths(type, Dialect::kV2, paths);
    AddSchemas(type, ReferencePrefix(Dialect::kV2), definitions);
  }
  return Value::Map({{"swagger", Text("2.0")},
                     {"info", ApiInfo()},
                     {"paths", std::move(paths)},
                     {"definitions", std::move(definitions)}});
}

Value OpenApiV3Index() {
  Value paths = Value::Map();
  for (const ResourceType& type : ResourceTypes()) {
    const std::string path = (type.group.empty() ? "api/" : "apis/") + type.api_version();
    // The version in the URL, because clients cache documents by URL.
    std::string version(base::BuildVersion());
    std::ranges::replace(version, '+', '.');
    paths.Set(path, Value::Map({{"serverRelativeURL", Text("/openapi/v3/" + path + "?hash=" + version)}}));
  }
  return Value::Map({{"paths", std::move(paths)}});
}

std::optional<Value> OpenApiV3(std::string_view group, std::string_view version) {
  Value paths = Value::Map();
  Value schemas = Value::Map();
  for (const ResourceType& type : ResourceTypes()) {
    if (type.group != group || type.version != version) continue;
    AddPaths(type, Dialect::kV3, paths);
    AddSchemas(type, ReferencePrefix(Dialect::kV3), schemas);
  }
  if (paths.members().empty()) return std::nullopt;
  return Value::Map({{"openapi", Text("3.0.0")},
                     {"info", ApiInfo()},
                     {"paths", std::move(paths)},
                     {"components", Value::Map({{"schemas", std::move(schemas)}})}});
}

}  // namespace inferd::apiserver
