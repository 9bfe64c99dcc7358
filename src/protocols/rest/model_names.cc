#include "protocols/rest/model_names.h"

#include "data/json/writer.h"

namespace inferd::rest {

std::string ModelNamesJson(std::span<const std::string> names) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("models");
  writer.BeginArray();
  for (const std::string& name : names) writer.String(name);
  writer.EndArray();
  writer.EndObject();
  return writer.TakeString();
}

}  // namespace inferd::rest
