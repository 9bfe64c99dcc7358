#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::kubernetes {

using manifest::TextAt;
using manifest::Value;

ObjectName NameOf(const Value& object) {
  return {.namespace_name = TextAt(object, {"metadata", "namespace"}), .name = TextAt(object, {"metadata", "name"})};
}

const std::string& ResourceVersionOf(const Value& object) { return TextAt(object, {"metadata", "resourceVersion"}); }

const std::string& UidOf(const Value& object) { return TextAt(object, {"metadata", "uid"}); }

Value MakeObject(const Resource& resource, const ObjectName& name) {
  Value object =
      Value::Map({{"apiVersion", Value::String(resource.api_version())}, {"kind", Value::String(resource.kind)}});
  Value& meta = object.MapAt("metadata");
  meta.Set("name", Value::String(name.name));
  if (resource.namespaced && !name.namespace_name.empty()) {
    meta.Set("namespace", Value::String(name.namespace_name));
  }
  return object;
}

}  // namespace inferd::kubernetes
