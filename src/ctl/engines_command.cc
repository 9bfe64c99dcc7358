#include <ostream>
#include <string>
#include <vector>

#include "ctl/commands.h"
#include "ctl/program/server_program.h"
#include "ctl/text/table.h"
#include "data/json/read.h"

namespace inferd::ctl {

namespace {

using base::Status;

// One engine in the output of `inferd --list-engines`, with each member as it is printed.
struct EngineText {
  std::string name, version, devices, formats, install;
};

struct EngineList {
  std::vector<EngineText> engines, missing;
  std::vector<std::string> problems;
};

// Reads a list as "a, b".
Status ReadList(json::Reader& reader, std::string& text) {
  return json::ReadArray(reader, [&]() -> Status {
    std::string item;
    INFERD_RETURN_IF_ERROR(json::ReadText(reader, item));
    text += (text.empty() ? "" : ", ") + item;
    return base::OkStatus();
  });
}

// Reads formats as "ONNX (*.onnx), ...".
Status ReadFormats(json::Reader& reader, std::string& text) {
  return json::ReadArray(reader, [&]() -> Status {
    std::string name, files;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
      if (key == "name") return json::ReadText(reader, name);
      return key == "files" ? ReadList(reader, files) : reader.SkipValue();
    }));
    text += (text.empty() ? "" : ", ") + name + " (" + files + ")";
    return base::OkStatus();
  });
}

Status ReadEngines(json::Reader& reader, std::vector<EngineText>& engines) {
  return json::ReadArray(reader, [&]() -> Status {
    EngineText engine;
    INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> Status {
      if (key == "name") return json::ReadText(reader, engine.name);
      if (key == "version") return json::ReadText(reader, engine.version);
      if (key == "devices") return ReadList(reader, engine.devices);
      if (key == "formats") return ReadFormats(reader, engine.formats);
      return key == "install" ? json::ReadText(reader, engine.install) : reader.SkipValue();
    }));
    engines.push_back(std::move(engine));
    return base::OkStatus();
  });
}

Status Read(std::string_view text, EngineList& list) {
  json::Reader reader(text);
  return json::ReadObject(reader, [&](std::string_view key) -> Status {
    if (key == "engines") return ReadEngines(reader, list.engines);
    if (key == "missing") return ReadEngines(reader, list.missing);
    if (key != "problems") return reader.SkipValue();
    return json::ReadArray(reader, [&] { return json::ReadText(reader, list.problems.emplace_back()); });
  });
}

void Show(const EngineList& list, std::ostream& stream) {
  Table table({"ENGINE", "VERSION", "DEVICES", "FORMATS"});
  for (const EngineText& each : list.engines) table.Add({each.name, each.version, each.devices, each.formats});
  stream << table.ToString();
  if (!list.missing.empty()) {
    Table missing({"NOT INSTALLED", "INSTALLED BY", "FORMATS"});
    for (const EngineText& each : list.missing) missing.Add({each.name, each.install, each.formats});
    stream << "\n" << missing.ToString();
  }
  for (const std::string& problem : list.problems) stream << "problem: " << problem << "\n";
}

}  // namespace

base::Result<int> ShowEngines(const std::string& directory, const Output& out) {
  std::vector<std::string> options = {"--list-engines"};
  if (!directory.empty()) options.push_back("--engine-directory=" + directory);
  std::string printed;
  INFERD_ASSIGN_OR_RETURN(const int exit_status, RunServerProgram(options, &printed));
  if (printed.empty()) return exit_status == 0 ? 1 : exit_status;  // inferd has printed the reason on standard error
  if (out.json) {
    INFERD_RETURN_IF_ERROR(out.WriteServerJson(printed));
    return exit_status;
  }
  EngineList list;
  INFERD_RETURN_IF_ERROR(Read(printed, list));
  Show(list, out.stream);
  return exit_status;
}

}  // namespace inferd::ctl
