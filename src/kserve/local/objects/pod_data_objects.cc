#include "kserve/local/objects/pod_data_objects.h"

#include <string>

#include "base/text/base64.h"

namespace inferd::local {

namespace {

void AddValues(const manifest::Value& object, std::string_view field, bool base64, manifest::StringMap& values) {
  const manifest::Value* const map = object.Find(field);
  if (map == nullptr) return;
  for (const manifest::Member& member : map->members()) {
    values[member.key] = base64 ? base::DecodedBase64(member.value.text()) : member.value.text();
  }
}

}  // namespace

std::optional<manifest::Value> ReadPodObject(const apiserver::Registry& registry, std::string_view kind,
                                             std::string_view namespace_name, std::string_view name) {
  const auto stored = registry.Get(*apiserver::FindKind("v1", kind), namespace_name, name);
  if (!stored.has_value()) return std::nullopt;
  return apiserver::ParseStored((*stored)->json);
}

std::optional<manifest::StringMap> ReadPodData(const apiserver::Registry& registry, const node::DataSource& source) {
  const auto object =
      ReadPodObject(registry, source.secret ? "Secret" : "ConfigMap", source.namespace_name, source.name);
  if (!object.has_value()) return std::nullopt;
  manifest::StringMap values;
  AddValues(*object, "data", source.secret, values);
  if (!source.secret) AddValues(*object, "binaryData", true, values);
  return values;
}

}  // namespace inferd::local
