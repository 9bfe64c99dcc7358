#include "kserve/node/pod_data.h"

namespace inferd::node {

std::string TextIn(const manifest::Value* map, std::string_view key) {
  const manifest::Value* const value = map == nullptr ? nullptr : map->Find(key);
  return value == nullptr ? std::string() : value->text();
}

bool IsOptional(const manifest::Value& reference) {
  const manifest::Value* const optional = reference.Find("optional");
  return optional != nullptr && optional->boolean();
}

std::string FieldOfContainer(const model::ResolvedPod& pod, std::string_view field) {
  const std::string component = "spec." + std::string(model::ComponentKindName(pod.kind));
  if (!pod.explainer.empty()) return component + "." + pod.explainer + "." + std::string(field);
  if (pod.runtime.empty()) return component + ".containers[0]." + std::string(field);
  return component + ".model." + std::string(field) + " (or that of the runtime " + pod.runtime + ")";
}

std::string KindWord(const DataSource& source) { return source.secret ? "secret" : "configmap"; }

base::Result<manifest::StringMap> ReadData(const FindData& find, const DataSource& source, bool optional) {
  auto values = find == nullptr ? std::nullopt : find(source);
  if (values.has_value()) return *std::move(values);
  if (optional) return manifest::StringMap();
  return std::unexpected(base::NotFound(KindWord(source) + " \"" + source.name + "\" not found"));
}

}  // namespace inferd::node
