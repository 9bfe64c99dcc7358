#include <ostream>
#include <string>
#include <vector>

#include "ctl/commands.h"
#include "ctl/program/engine_list.h"
#include "ctl/program/server_program.h"
#include "ctl/text/table.h"

namespace inferd::ctl {

namespace {

// Returns "a, b".
std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

// Returns "ONNX (*.onnx), ...".
std::string FormatsText(const std::vector<EngineList::Format>& formats) {
  std::vector<std::string> texts;
  for (const EngineList::Format& format : formats) texts.push_back(format.name + " (" + Joined(format.files) + ")");
  return Joined(texts);
}

void Show(const EngineList& list, std::ostream& stream) {
  Table table({"ENGINE", "VERSION", "DEVICES", "FORMATS"});
  for (const EngineList::Engine& each : list.engines) {
    table.Add({each.name, each.version, Joined(each.devices), FormatsText(each.formats)});
  }
  stream << table.ToString();
  if (!list.missing.empty()) {
    Table missing({"NOT INSTALLED", "INSTALLED BY", "FORMATS"});
    for (const EngineList::Engine& each : list.missing) {
      missing.Add({each.name, each.install, FormatsText(each.formats)});
    }
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
  INFERD_ASSIGN_OR_RETURN(const EngineList list, ParseEngineList(printed));
  Show(list, out.stream);
  return exit_status;
}

}  // namespace inferd::ctl
