#include "kserve/model/api/object_meta.h"

#include "data/manifest/names.h"

namespace inferd::model {

namespace {

void FailEach(manifest::Fields& fields, std::string_view key, const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) fields.Fail(key, fault);
}

void CheckMap(manifest::Fields& metadata, std::string_view key, const StringMap& map, bool values_too) {
  std::optional<manifest::Fields> fields = metadata.Map(key);
  if (!fields.has_value()) return;
  for (const auto& [name, value] : map) {
    FailEach(*fields, name, manifest::CheckQualifiedName(name));
    if (values_too) FailEach(*fields, name, manifest::CheckLabelValue(value));
  }
}

}  // namespace

std::string_view ObjectMeta::annotation(const std::string& key) const {
  const auto found = annotations.find(key);
  return found == annotations.end() ? std::string_view() : found->second;
}

ObjectMeta ReadObjectMeta(manifest::Fields& object, bool namespaced) {
  ObjectMeta meta;
  std::optional<manifest::Fields> metadata = object.Map("metadata");
  if (!metadata.has_value()) {
    if (object.Find("metadata") == nullptr) object.Fail("metadata", "is required");
    return meta;
  }
  metadata->Read("name", meta.name);
  metadata->Read("namespace", meta.namespace_name);
  metadata->Read("labels", meta.labels);
  metadata->Read("annotations", meta.annotations);
  metadata->Read("creationTimestamp", meta.creation_timestamp);
  metadata->Read("uid", meta.uid);
  if (!namespaced) {
    if (!meta.namespace_name.empty()) metadata->Fail("namespace", "an object of the cluster has no namespace");
  } else if (meta.namespace_name.empty()) {
    meta.namespace_name = "default";
  } else {
    FailEach(*metadata, "namespace", manifest::CheckLabel(meta.namespace_name));
  }
  if (metadata->Find("name") == nullptr) metadata->Fail("name", "is required");
  if (!meta.name.empty()) FailEach(*metadata, "name", manifest::CheckSubdomain(meta.name));
  CheckMap(*metadata, "labels", meta.labels, true);
  CheckMap(*metadata, "annotations", meta.annotations, false);
  return meta;
}

}  // namespace inferd::model
