#include "ctl/program/engine_list.h"

#include "data/json/read.h"

namespace inferd::ctl {

namespace {

using base::Status;

Status ReadTextArray(json::Reader& reader, std::vector<std::string>& texts) {
  return json::ReadArray(reader, [&] { return json::ReadText(reader, texts.emplace_back()); });
}

Status ReadFormats(json::Reader& reader, std::vector<EngineList::Format>& formats) {
  return json::ReadArray(reader, [&] {
    EngineList::Format& format = formats.emplace_back();
    return json::ReadObject(reader, [&](std::string_view key) -> Status {
      if (key == "name") return json::ReadText(reader, format.name);
      return key == "files" ? ReadTextArray(reader, format.files) : reader.SkipValue();
    });
  });
}

Status ReadEngines(json::Reader& reader, std::vector<EngineList::Engine>& engines) {
  return json::ReadArray(reader, [&] {
    EngineList::Engine& engine = engines.emplace_back();
    return json::ReadObject(reader, [&](std::string_view key) -> Status {
      if (key == "name") return json::ReadText(reader, engine.name);
      if (key == "version") return json::ReadText(reader, engine.version);
      if (key == "devices") return ReadTextArray(reader, engine.devices);
      if (key == "formats") return ReadFormats(reader, engine.formats);
      return key == "install" ? json::ReadText(reader, engine.install) : reader.SkipValue();
    });
  });
}

}  // namespace

base::Result<EngineList> ParseEngineList(std::string_view printed) {
  EngineList list;
  json::Reader reader(printed);
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "directory") return json::ReadText(reader, list.directory);
    if (key == "engines") return ReadEngines(reader, list.engines);
    if (key == "missing") return ReadEngines(reader, list.missing);
    return key == "problems" ? ReadTextArray(reader, list.problems) : reader.SkipValue();
  }));
  return list;
}

}  // namespace inferd::ctl
