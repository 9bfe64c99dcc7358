#include "kserve/model/api/object.h"

#include <array>
#include <utility>

namespace inferd::model {

namespace {

using manifest::Fields;
using manifest::Problems;
using manifest::Value;

constexpr std::string_view kGroup = "serving.kserve.io/";
constexpr std::string_view kConfigName = "inferenceservice-config";

struct KindRow {
  std::string_view kind;
  std::string_view api_version;
  AnyObject (*read)(Value document, Problems& problems);
};

constexpr std::array<KindRow, 5> kKinds = {{
    {"InferenceService", "serving.kserve.io/v1beta1",
     [](Value document, Problems& problems) -> AnyObject {
       return ReadInferenceService(std::move(document), problems);
     }},
    {"ServingRuntime", "serving.kserve.io/v1alpha1",
     [](Value document, Problems& problems) -> AnyObject {
       return ReadServingRuntime(std::move(document), false, problems);
     }},
    {"ClusterServingRuntime", "serving.kserve.io/v1alpha1",
     [](Value document, Problems& problems) -> AnyObject {
       return ReadServingRuntime(std::move(document), true, problems);
     }},
    {"InferenceGraph", "serving.kserve.io/v1alpha1",
     [](Value document, Problems& problems) -> AnyObject { return ReadInferenceGraph(std::move(document), problems); }},
    {"TrainedModel", "serving.kserve.io/v1alpha1",
     [](Value document, Problems& problems) -> AnyObject { return ReadTrainedModel(std::move(document), problems); }},
}};

AnyObject ReadOther(Value document, Problems& problems) {
  Fields object(document, "", problems);
  ObjectMeta metadata = ReadObjectMeta(object, true);
  // It is unknown here whether the kind is namespaced, so no default namespace is set.
  const Value* given = document.Find("metadata");
  if (given == nullptr || given->Find("namespace") == nullptr) metadata.namespace_name.clear();
  return OtherObject{.document = std::move(document), .metadata = std::move(metadata)};
}

bool IsConfig(const Object& object, const Value& document) {
  if (object.api_version != "v1" || object.kind != "ConfigMap") return false;
  const Value* metadata = document.Find("metadata");
  const Value* name = metadata == nullptr ? nullptr : metadata->Find("name");
  return name != nullptr && name->text() == kConfigName;
}

void FailKind(Fields& fields, const Object& object) {
  for (const KindRow& row : kKinds) {
    if (row.kind != object.kind) continue;
    return fields.Fail("apiVersion", "must be " + std::string(row.api_version) + " for kind " + object.kind);
  }
  std::string kinds;
  for (const KindRow& row : kKinds) kinds += (kinds.empty() ? "" : ", ") + std::string(row.kind);
  fields.Fail("kind", "no kind " + object.kind + " in " + object.api_version + "; there are " + kinds);
}

bool IsList(const Value& document) {
  const Value* kind = document.Find("kind");
  const Value* items = document.Find("items");
  return kind != nullptr && kind->text().ends_with("List") && items != nullptr && items->is(manifest::Kind::kList);
}

}  // namespace

const ObjectMeta& Object::metadata() const {
  return std::visit([](const auto& object) -> const ObjectMeta& { return object.metadata; }, typed);
}

const Value& Object::document() const {
  return std::visit([](const auto& object) -> const Value& { return object.document; }, typed);
}

Object ReadObject(Value document) {
  Object object;
  object.position = document.position();
  Fields fields(document, "", object.problems);
  if (!document.is(manifest::Kind::kMap)) {
    object.typed = OtherObject{.document = std::move(document), .metadata = {}};
    return object;
  }
  fields.Read("apiVersion", object.api_version);
  fields.Read("kind", object.kind);
  for (const std::string_view key : {"apiVersion", "kind"}) {
    if (fields.Find(key) == nullptr) fields.Fail(key, "is required");
  }
  for (const KindRow& row : kKinds) {
    if (row.kind != object.kind || row.api_version != object.api_version) continue;
    object.typed = row.read(std::move(document), object.problems);
    return object;
  }
  if (object.api_version.starts_with(kGroup)) FailKind(fields, object);
  if (IsConfig(object, document)) {
    object.typed = ReadInferenceServiceConfig(std::move(document), object.problems);
  } else {
    object.typed = ReadOther(std::move(document), object.problems);
  }
  return object;
}

std::vector<Object> ReadObjects(std::vector<Value> documents) {
  std::vector<Object> objects;
  for (Value& document : documents) {
    if (!IsList(document)) {
      objects.push_back(ReadObject(std::move(document)));
      continue;
    }
    for (Value& item : document.Find("items")->items()) objects.push_back(ReadObject(std::move(item)));
  }
  return objects;
}

}  // namespace inferd::model
