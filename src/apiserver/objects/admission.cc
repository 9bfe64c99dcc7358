#include "apiserver/objects/admission.h"

#include <list>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/base64.h"
#include "controlplane/api/object.h"
#include "controlplane/api/unknown_fields.h"
#include "controlplane/resolve/defaulting.h"
#include "controlplane/resolve/validation.h"
#include "manifest/read.h"
#include "manifest/value_path.h"

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Problems;
using manifest::Value;

constexpr std::string_view kNamespaceActive = "Active";
// Texts that the store has were made here, of objects within the limits of what clients send.
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

// What is given as plain text becomes data.
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

// Kubernetes' own kinds, as far as something is made of them.
void CheckCoreKind(const ResourceType& type, const Value& object, Problems& problems) {
  if (type.kind == "ConfigMap") CheckTexts(object, "data", false, problems);
  if (type.kind == "ConfigMap") CheckTexts(object, "binaryData", true, problems);
  if (type.kind == "Secret") CheckTexts(object, "data", true, problems);
}

std::string DenialOf(const manifest::Problem& problem) {
  // KServe's own texts stand alone; ours go on from the field's name.
  return problem.message.starts_with("must ") ? problem.path + " " + problem.message : problem.message;
}

}  // namespace

Value ParseStored(const std::string& json) {
  auto documents = manifest::ReadJson(json, "stored", kStoredLimits);
  return documents.has_value() && !documents->empty() ? std::move(documents->front()) : Value::Map();
}

std::vector<std::string> UnknownFieldsOf(const Value& object) {
  std::vector<std::string> texts;
  for (const controlplane::UnknownField& field : controlplane::FindUnknownFields(controlplane::ReadObject(object))) {
    texts.push_back("unknown field \"" + field.path + "\"");
  }
  return texts;
}

ApiResult<Value> Admission::Admit(const ResourceType& type, Value object, const Value* live) const {
  if (type.kind == "Secret") TakeStringData(object);
  if (type.kind == "Namespace" && FieldAt(object, {"metadata", "deletionTimestamp"}) == nullptr) {
    object.MapAt("status").Set("phase", Value::String(std::string(kNamespaceActive)));
  }
  if (auto reviewed = Review(type, object, live); !reviewed.has_value()) return std::unexpected(reviewed.error());
  return object;
}

Value Admission::WithDefaults(const ResourceType& type, Value object) const {
  if (type.kind == "Secret") TakeStringData(object);
  if (type.kind != "InferenceService") return object;
  const controlplane::Object read = controlplane::ReadObject(object);
  const auto* const service = std::get_if<controlplane::InferenceService>(&read.typed);
  if (service == nullptr || !read.problems.empty()) return object;
  return controlplane::ApplyDefaults(*service, config_()).document;
}

ApiResult<void> Admission::Review(const ResourceType& type, Value& object, const Value* live) const {
  const std::string name = TextAt(object, {"metadata", "name"});
  controlplane::Object read = controlplane::ReadObject(object);
  CheckCoreKind(type, object, read.problems);
  if (!read.problems.empty()) return std::unexpected(InvalidError(type, name, read.problems));
  Problems problems;
  if (const auto* service = std::get_if<controlplane::InferenceService>(&read.typed)) {
    controlplane::InferenceService defaulted = controlplane::ApplyDefaults(*service, config_());
    problems = controlplane::Validate(defaulted);
    object = std::move(defaulted.document);
  } else if (std::holds_alternative<controlplane::ServingRuntime>(read.typed)) {
    std::list<controlplane::Object> others;
    std::vector<const controlplane::ServingRuntime*> runtimes;
    for (const objectstore::ObjectPtr& stored : store_.List(type.resource(), "").objects) {
      others.push_back(controlplane::ReadObject(ParseStored(stored->json)));
      if (const auto* other = std::get_if<controlplane::ServingRuntime>(&others.back().typed))
        runtimes.push_back(other);
    }
    problems = controlplane::Validate(std::get<controlplane::ServingRuntime>(read.typed), runtimes);
  } else if (const auto* graph = std::get_if<controlplane::InferenceGraph>(&read.typed)) {
    problems = controlplane::Validate(*graph);
  } else if (const auto* model = std::get_if<controlplane::TrainedModel>(&read.typed)) {
    problems = controlplane::Validate(*model);
    const std::string before = live == nullptr ? model->memory : TextAt(*live, {"spec", "model", "memory"});
    if (before != model->memory) {
      problems.push_back({.message = "the Trained Model \"" + name + "\" memory field is immutable. The memory was \"" +
                                     before + "\" but it is updated to \"" + model->memory + "\""});
    }
  }
  if (!problems.empty()) return std::unexpected(DeniedError(type.webhook, DenialOf(problems.front())));
  return {};
}

}  // namespace inferd::apiserver
