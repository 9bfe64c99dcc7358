#include "kserve/apiserver/objects/admission.h"

#include <utility>
#include <variant>
#include <vector>

#include "base/text/base64.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"
#include "kserve/model/api/object.h"
#include "kserve/model/api/unknown_fields.h"

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Problems;
using manifest::Value;

constexpr std::string_view kNamespaceActive = "Active";
// Limits for texts in the store. They were made from objects within the limits for clients, so these are wider.
constexpr manifest::Limits kStoredLimits = {.file_bytes_max = 16 << 20,
                                            .depth_max = 256,
                                            .members_max = 16'384,
                                            .nodes_max = 4'000'000,
                                            .bytes_max = 64'000'000};

std::string Encoded(const std::string& bytes) {
  std::string text(base::Base64Size(bytes.size()), '\0');
  base::EncodeBase64(bytes, text.data());
  return text;
}

// Moves `stringData`, which is plain text, into `data`.
void TakeStringData(Value& secret) {
  const Value* const plain = secret.Find("stringData");
  if (plain != nullptr && plain->is(Kind::kMap)) {
    const Value given = *plain;
    Value& data = secret.MapAt("data");
    for (const manifest::Member& member : given.members())
      data.Set(member.key, Value::String(Encoded(member.value.text())));
  }
  secret.Remove("stringData");
  if (TextAt(secret, {"type"}).empty()) secret.Set("type", Value::String("Opaque"));
}

void CheckTexts(const Value& object, std::string_view key, bool base64, Problems& problems) {
  const Value* const map = object.Find(key);
  if (map == nullptr || map->is(Kind::kNull)) return;
  if (!map->is(Kind::kMap)) {
    problems.push_back({.path = std::string(key), .message = "must be a map"});
    return;
  }
  for (const manifest::Member& member : map->members()) {
    const std::string path = manifest::PathOf(key, member.key);
    if (!member.value.is(Kind::kString)) {
      problems.push_back({.path = path, .message = "must be a string"});
    } else if (base64) {
      std::string text = member.value.text();
      if (!base::DecodeBase64(text, text.data()).has_value())
        problems.push_back({.path = path, .message = "is no base64"});
    }
  }
}

// Checks Kubernetes' own kinds, as far as they are used.
void CheckCoreKind(const ResourceType& type, const Value& object, Problems& problems) {
  if (type.kind == "ConfigMap") CheckTexts(object, "data", false, problems);
  if (type.kind == "ConfigMap") CheckTexts(object, "binaryData", true, problems);
  if (type.kind == "Secret") CheckTexts(object, "data", true, problems);
}

}  // namespace

Value ParseStored(const std::string& json) {
  auto documents = manifest::ReadJson(json, "stored", kStoredLimits);
  return documents.has_value() && !documents->empty() ? std::move(documents->front()) : Value::Map();
}

std::vector<std::string> UnknownFieldsOf(const Value& object) {
  std::vector<std::string> texts;
  for (const model::UnknownField& field : model::FindUnknownFields(model::ReadObject(object))) {
    texts.push_back("unknown field \"" + field.path + "\"");
  }
  return texts;
}

ApiResult<Value> Admission::Admit(const ResourceType& type, Value object, const Value* live) const {
  if (type.kind == "Secret") TakeStringData(object);
  if (type.kind == "Namespace" && FieldAt(object, {"metadata", "deletionTimestamp"}) == nullptr) {
    object.MapAt("status").Set("phase", Value::String(std::string(kNamespaceActive)));
  }
  model::Admitted admitted = model::Admit(std::move(object), live, Context());
  CheckCoreKind(type, admitted.object, admitted.unreadable);
  if (!admitted.unreadable.empty()) {
    const std::string name = TextAt(admitted.object, {"metadata", "name"});
    return std::unexpected(InvalidError(type, name, admitted.unreadable));
  }
  if (!admitted.denial.empty()) return std::unexpected(DeniedError(type.webhook, admitted.denial));
  return std::move(admitted.object);
}

Value Admission::WithDefaults(const ResourceType& type, Value object) const {
  if (type.kind == "Secret") TakeStringData(object);
  return model::WithDefaults(std::move(object), Context());
}

// The API is for one machine, which can serve local paths.
model::AdmissionContext Admission::Context() const {
  return {.config = config_,
          .runtimes =
              [this] {
                std::vector<model::ServingRuntime> runtimes;
                for (const ResourceType& type : ResourceTypes()) {
                  if (!type.kind.ends_with("ServingRuntime")) continue;
                  for (const apiserver::ObjectPtr& stored : store_.List(type.resource(), "").objects) {
                    model::Object read = model::ReadObject(ParseStored(stored->json));
                    if (auto* runtime = std::get_if<model::ServingRuntime>(&read.typed)) {
                      runtimes.push_back(std::move(*runtime));
                    }
                  }
                }
                return runtimes;
              },
          .trained_models = model::TrainedModelPlaces::kAnywhere};
}

}  // namespace inferd::apiserver
