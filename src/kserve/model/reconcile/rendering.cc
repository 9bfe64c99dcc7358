#include "kserve/model/reconcile/rendering.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/text/base64.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr std::string_view kDefaultNamespace = "default";

// Moves `stringData` into `data`, in base64, as the API server does.
Value WithEncodedData(Value secret) {
  const Value* const texts = secret.Find("stringData");
  if (texts == nullptr) return secret;
  const Value* const before = secret.Find("data");
  Value data = before != nullptr && before->is(manifest::Kind::kMap) ? *before : Value::Map();
  for (const manifest::Member& member : texts->members()) {
    std::string encoded(base::Base64Size(member.value.text().size()), '\0');
    base::EncodeBase64(member.value.text(), encoded.data());
    data.Set(member.key, Value::String(std::move(encoded)));
  }
  secret.Set("data", std::move(data));
  return secret;
}

std::optional<Value> FindAmong(std::span<const Object* const> objects, std::string_view namespace_name,
                               std::string_view kind, std::string_view name) {
  for (const Object* const object : objects) {
    const auto* const other = std::get_if<OtherObject>(&object->typed);
    if (other == nullptr || object->kind != kind || other->metadata.name != name) continue;
    const std::string_view own = other->metadata.namespace_name;
    if ((own.empty() ? kDefaultNamespace : own) == namespace_name) return WithEncodedData(other->document);
  }
  return std::nullopt;
}

}  // namespace

std::expected<DesiredObjects, ResolutionFailure> RenderService(const InferenceService& service,
                                                               std::span<const Object* const> objects,
                                                               const ReviewContext& context, bool revisions) {
  std::vector<const TrainedModel*> models;
  for (const Object* const object : objects) {
    if (const auto* const model = std::get_if<TrainedModel>(&object->typed)) models.push_back(model);
  }
  TemplateInjection injection;
  injection.revisions = revisions;
  injection.find = [&](std::string_view kind, std::string_view name) {
    return FindAmong(objects, service.metadata.namespace_name, kind, name);
  };
  return MakeDesiredObjects(service, context.runtimes, models,
                            context.config == nullptr ? InferenceServiceConfig() : *context.config, {}, injection);
}

}  // namespace inferd::model
