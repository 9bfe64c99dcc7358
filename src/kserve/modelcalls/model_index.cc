#include "kserve/modelcalls/model_index.h"

#include "data/json/read.h"

namespace inferd::modelcalls {

namespace {

base::Status ReadListedModel(json::Reader& reader, std::set<std::string>& ready) {
  std::string name;
  std::string state = "READY";
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "name") return json::ReadText(reader, name);
    return key == "state" ? json::ReadText(reader, state) : reader.SkipValue();
  }));
  if (name.empty()) return reader.Error("a model without a name");
  if (state == "READY") ready.insert(std::move(name));
  return {};
}

}  // namespace

base::Result<std::set<std::string>> ParseModelIndex(std::string_view text) {
  std::set<std::string> ready;
  json::Reader reader(text);
  INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&] { return ReadListedModel(reader, ready); }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  return ready;
}

}  // namespace inferd::modelcalls
