#include "kserve/agent/puller/model_list.h"

#include <algorithm>

#include "base/text/printable.h"
#include "data/json/read.h"
#include "data/json/writer.h"

namespace inferd::agent {

namespace {

using json::Reader;

constexpr size_t kNameBytesMax = 253;

bool IsAlphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && IsAlphanumeric(name.front()) &&
         std::ranges::all_of(name, [](char c) { return IsAlphanumeric(c) || std::string_view("._-").contains(c); });
}

base::Status ReadSpec(Reader& reader, PulledModel& model) {
  return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "storageUri") return json::ReadText(reader, model.storage_uri);
    if (key == "framework") return json::ReadText(reader, model.framework);
    if (key != "memory") return reader.SkipValue();
    // A quantity may be a JSON number.
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
    if (type == json::ValueType::kString) return json::ReadText(reader, model.memory);
    INFERD_ASSIGN_OR_RETURN(model.memory, reader.ReadRaw());
    return {};
  });
}

base::Status ReadModel(Reader& reader, PulledModels& models) {
  std::string name;
  PulledModel model;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "modelName") return json::ReadText(reader, name);
    return key == "modelSpec" ? ReadSpec(reader, model) : reader.SkipValue();
  }));
  if (!IsName(name)) return reader.Error("modelName " + base::QuotedName(name) + " is no name");
  if (model.storage_uri.empty()) return reader.Error("the model " + base::QuotedName(name) + " has no storageUri");
  if (models.size() == kPulledModelsMax) return reader.Error("too many models");
  if (models.emplace(name, std::move(model)).second) return {};
  return reader.Error("the model " + base::QuotedName(name) + " is there twice");
}

}  // namespace

std::string PulledModel::ToJson() const {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("storageUri", storage_uri);
  writer.Member("framework", framework);
  writer.Member("memory", memory);
  writer.EndObject();
  return writer.TakeString();
}

base::Result<PulledModels> ParseModelList(std::string_view json) {
  PulledModels models;
  Reader reader(json);
  INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&] { return ReadModel(reader, models); }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  return models;
}

}  // namespace inferd::agent
