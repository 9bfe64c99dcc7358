#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/printable.h"
#include "ctl/commands.h"
#include "ctl/import/foreign_folder.h"
#include "ctl/program/server_program.h"
#include "ctl/program/validation_report.h"
#include "ctl/text/json_texts.h"
#include "ctl/text/shell_word.h"

namespace inferd::ctl {

namespace {

constexpr size_t kShownMax = 2000;  // bytes of a text from a folder, on a terminal

using FolderReader = base::Result<ForeignFolder> (*)(const std::filesystem::path&);

const std::map<std::string_view, FolderReader>& Readers() {
  static const std::map<std::string_view, FolderReader> kReaders = {{"triton", ReadTritonFolder},
                                                                    {"tfs", ReadTensorFlowFolder},
                                                                    {"ovms", ReadOpenVinoFolder},
                                                                    {"mlserver", ReadMlserverFolder},
                                                                    {"torchserve", ReadTorchserveFolder}};
  return kReaders;
}

// A foreign folder with the results of its trial by inferd.
struct Examined {
  ForeignFolder folder;
  std::vector<std::string> tried;     // the names of the models that inferd has loaded or refused
  std::vector<std::string> problems;  // of inferd, about no model
  std::vector<std::string> command;   // words of the command line that serves what works; empty if nothing does
};

bool WasTried(const Examined& examined, const ForeignModel& model) {
  return std::ranges::find(examined.tried, model.name) != examined.tried.end();
}

const char* VerdictOf(const Examined& examined, const ForeignModel& model) {
  if (!model.needs.empty()) return "needs";
  return WasTried(examined, model) ? "works" : "untried";
}

// True if this model is among those that the command line serves.
bool IsServed(const ForeignModel& model, const ImportArguments& arguments) {
  return model.needs.empty() && !model.argument.empty() && (!model.is_pickle || arguments.allow_pickle);
}

// Returns the options with which inferd tries the folder; empty if there is nothing to try.
std::vector<std::string> TrialOptions(const ForeignFolder& folder, const ImportArguments& arguments) {
  std::vector<std::string> options = folder.options;
  if (!options.empty() && arguments.allow_pickle) options.emplace_back("--allow-pickle=all");
  for (const ForeignModel& model : folder.models) {
    if (!IsServed(model, arguments)) continue;
    options.push_back("--model-file=" + model.argument);
    if (model.is_pickle) options.push_back("--allow-pickle=" + model.name);
  }
  return options;
}

ForeignModel& ModelNamed(ForeignFolder& folder, const ValidationReport::Model& reported) {
  const auto found = std::ranges::find(folder.models, reported.name, &ForeignModel::name);
  if (found != folder.models.end()) return *found;
  return folder.models.emplace_back(ForeignModel{.name = reported.name, .place = reported.folder});
}

// Has inferd read all models of the folder, and adds what it says.
base::Status AskServer(const ImportArguments& arguments, Examined& examined) {
  std::vector<std::string> options = TrialOptions(examined.folder, arguments);
  if (options.empty()) return base::OkStatus();
  options.insert(options.begin(), {"--dry-run", "--log-info=false", "--log-warning=false"});
  std::string printed;
  INFERD_ASSIGN_OR_RETURN(const int exit_status, RunServerProgram(options, &printed));
  const ValidationReport report = ParseValidationReport(printed);
  examined.problems = report.problems;
  if (exit_status != 0 && report.models.empty() && report.problems.empty()) {
    examined.problems.emplace_back("inferd does not take the folder; its reason is above");
  }
  for (const ValidationReport::Model& reported : report.models) {
    ForeignModel& model = ModelNamed(examined.folder, reported);
    examined.tried.push_back(model.name);
    model.needs.insert(model.needs.end(), reported.problems.begin(), reported.problems.end());
    model.notes.insert(model.notes.end(), reported.warnings.begin(), reported.warnings.end());
  }
  return base::OkStatus();
}

// Chooses the command line after inferd was asked.
void ChooseCommand(const ImportArguments& arguments, Examined& examined) {
  const std::vector<ForeignModel>& models = examined.folder.models;
  const auto works = [](const ForeignModel& model) { return model.needs.empty(); };
  if (!examined.problems.empty() || std::ranges::none_of(models, works)) return;
  std::vector<std::string> words = examined.folder.options;
  if (!words.empty() && arguments.allow_pickle) words.emplace_back("--allow-pickle=all");
  if (!words.empty() && !std::ranges::all_of(models, works)) {
    words.insert(words.end(), examined.folder.options_with_failures.begin(),
                 examined.folder.options_with_failures.end());
  }
  for (const ForeignModel& model : models) {
    if (!works(model) || model.argument.empty()) continue;
    words.push_back(model.argument);
    if (model.is_pickle) words.insert(words.end(), {"--allow-pickle", model.name});
  }
  if (words.empty()) return;
  words.insert(words.begin(), "inferd");
  examined.command = std::move(words);
}

std::string CommandText(const Examined& examined) {
  std::string text;
  for (const std::string& word : examined.command) text += (text.empty() ? "" : " ") + ShellWord(word);
  return text;
}

// Writes the text after a label. Further lines are indented.
void ShowItem(const char* label, const std::string& text, std::ostream& stream) {
  std::string_view rest = text;
  const char* begin = label;
  while (true) {
    const size_t end = rest.find('\n');
    stream << begin << base::Printable(rest.substr(0, end), kShownMax) << "\n";
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
    begin = "      ";
  }
}

void ShowExamined(const Examined& examined, std::ostream& stream) {
  size_t working = 0;
  for (const ForeignModel& model : examined.folder.models) {
    const std::string_view verdict = VerdictOf(examined, model);
    if (verdict == "works") ++working;
    const char* const words = verdict == "works" ? ": works as it is" : verdict == "needs" ? ":" : ": was not tried";
    stream << base::Printable(model.name, kShownMax) << words << "\n";
    for (const std::string& need : model.needs) ShowItem("  needs: ", need, stream);
    if (verdict == "untried" && model.is_pickle) {
      ShowItem("  note: ", "reading its file runs its author's code. If you trust it, --allow-pickle has inferd try it",
               stream);
    }
    for (const std::string& note : model.notes) ShowItem("  note: ", note, stream);
  }
  for (const std::string& text : examined.folder.unread) ShowItem("not read: ", text, stream);
  for (const std::string& text : examined.problems) ShowItem("problem: ", text, stream);
  for (const std::string& text : examined.folder.notes) ShowItem("note: ", text, stream);
  stream << working << " of " << examined.folder.models.size()
         << (examined.folder.models.size() == 1 ? " model works as it is\n" : " models work as they are\n");
  if (!examined.command.empty()) stream << "\nServe the folder:\n  " << CommandText(examined) << "\n";
}

void WriteExamined(const ImportArguments& arguments, const Examined& examined, const Output& out) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("server", arguments.server);
  writer.Member("folder", arguments.folder);
  writer.Key("models");
  writer.BeginArray();
  for (const ForeignModel& model : examined.folder.models) {
    writer.BeginObject();
    writer.Member("name", model.name);
    writer.Member("place", model.place);
    writer.Member("verdict", std::string_view(VerdictOf(examined, model)));
    WriteTexts(writer, "needs", model.needs);
    WriteTexts(writer, "notes", model.notes);
    writer.EndObject();
  }
  writer.EndArray();
  WriteTexts(writer, "unread", examined.folder.unread);
  WriteTexts(writer, "problems", examined.problems);
  WriteTexts(writer, "notes", examined.folder.notes);
  writer.Member("command", CommandText(examined));
  writer.EndObject();
  out.Write(writer);
}

}  // namespace

std::vector<std::string> ImportedServers() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : Readers()) names.emplace_back(name);
  return names;
}

base::Result<int> Import(const ImportArguments& arguments, const Output& out) {
  const auto reader = Readers().find(arguments.server);
  if (reader == Readers().end()) {
    return std::unexpected(base::InvalidArgument("there is no import from '" + arguments.server + "'"));
  }
  Examined examined;
  INFERD_ASSIGN_OR_RETURN(examined.folder, reader->second(arguments.folder));
  INFERD_RETURN_IF_ERROR(AskServer(arguments, examined));
  ChooseCommand(arguments, examined);
  out.json ? WriteExamined(arguments, examined, out) : ShowExamined(examined, out.stream);
  const bool all = std::ranges::all_of(examined.folder.models, [&](const ForeignModel& model) {
    return std::string_view(VerdictOf(examined, model)) == "works";
  });
  return all && examined.folder.unread.empty() && examined.problems.empty() ? 0 : 1;
}

}  // namespace inferd::ctl
