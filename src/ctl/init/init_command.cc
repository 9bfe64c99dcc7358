#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/digits.h"
#include "base/text/printable.h"
#include "ctl/commands.h"
#include "ctl/init/model_name.h"
#include "ctl/init/model_parts.h"
#include "ctl/init/staged_model.h"
#include "ctl/program/engine_list.h"
#include "ctl/program/interrupt.h"
#include "ctl/program/server_program.h"
#include "ctl/program/validation_report.h"
#include "ctl/text/json_texts.h"
#include "ctl/text/shell_word.h"
#include "ctl/validate/target.h"
#include "ctl/validate/trial.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;
using base::Status;

// inferd prints its results alone: its log would be between them.
constexpr std::array<const char*, 2> kQuiet = {"--log-info=false", "--log-warning=false"};

// A model as it is made.
struct Made {
  std::string model, version;
  fs::path folder;  // of the model, as the person named it
  std::vector<ModelPart> parts;
  bool linked = false;
  bool checked = false;
  std::vector<std::string> warnings;
  std::string backend;  // as its configuration names it; empty if unknown
  std::string serve;    // the command line that serves it
  Trial trial{.model = ""};
};

std::string JoinVersions(const std::vector<int64_t>& versions) {
  std::string text;
  for (const int64_t version : versions) text += (text.empty() ? "" : ", ") + std::to_string(version);
  return text;
}

// Returns the version to make, as its folder is called. ALREADY_EXISTS, with the next free version, if it is there.
base::Result<std::string> ChooseVersion(const std::string& wanted, const std::string& model, const fs::path& folder) {
  const std::vector<int64_t> versions = VersionsOf(folder);
  const std::string next = std::to_string(versions.empty() ? 1 : versions.back() + 1);
  if (wanted == "next") return next;
  if (wanted.empty()) {
    if (versions.empty()) return "1";
    return std::unexpected(
        base::AlreadyExists("the model " + base::QuotedName(model) + " is in '" + folder.parent_path().string() +
                            "' already, with the version" + (versions.size() == 1 ? " " : "s ") +
                            JoinVersions(versions) + ". Add this file as version " + next +
                            " with --version next, or choose " + "another name: inferctl init NAME FILE"));
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = base::IsDigits(wanted) && error == std::errc() && end == wanted.data() + wanted.size();
  if (!is_number || wanted != std::to_string(number)) {
    return std::unexpected(base::InvalidArgument("--version is a number or 'next', not " + base::QuotedName(wanted)));
  }
  if (std::ranges::find(versions, number) != versions.end()) {
    return std::unexpected(base::AlreadyExists("the model " + base::QuotedName(model) + " has a version " + wanted +
                                               " already. The next free version is " + next + ": --version next"));
  }
  return wanted;
}

// Returns the file names of all formats, also of engines that are not installed: inferd then says what to install.
base::Result<std::vector<std::string>> FilePatterns() {
  std::string printed;
  INFERD_ASSIGN_OR_RETURN(const int exit_status, RunServerProgram({"--list-engines", kQuiet[0], kQuiet[1]}, &printed));
  (void)exit_status;  // a library that does not open is reported when a model needs it
  INFERD_ASSIGN_OR_RETURN(const EngineList list, ParseEngineList(printed));
  std::vector<std::string> patterns;
  for (const auto* engines : {&list.engines, &list.missing}) {
    for (const EngineList::Engine& engine : *engines) {
      for (const EngineList::Format& format : engine.formats) {
        patterns.insert(patterns.end(), format.files.begin(), format.files.end());
      }
    }
  }
  return patterns;
}

// Returns the value of a field at the beginning of a line, in the format of config.pbtxt.
std::string FieldOf(std::string_view configuration, std::string_view field) {
  const std::string begin = "\n" + std::string(field) + ": \"";
  const std::string text = "\n" + std::string(configuration);
  const size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const size_t end = text.find('"', at + begin.size());
  return text.substr(at + begin.size(), end - at - begin.size());
}

// Returns the text with the place where the model was to be, in place of the hidden folder.
std::string WithFinalPlace(std::string text, const StagedModel& staged, const InitArguments& arguments) {
  const std::string hidden = staged.repository().string();
  for (size_t at = text.find(hidden); at != std::string::npos; at = text.find(hidden, at)) {
    text.replace(at, hidden.size(), arguments.repository);
    at += arguments.repository.size();
  }
  return text;
}

// Returns the error for a model that inferd refuses, with what to do.
std::string WhyNotServed(const std::string& reason, const InitArguments& arguments) {
  std::string text = "inferd cannot serve " + base::QuotedName(arguments.path) + ": " + reason + "\n";
  if (reason.contains("--allow-pickle")) {
    return text + "If you trust the file, give inferctl init the option --allow-pickle.";
  }
  if (reason.contains("Could not determine backend")) {
    return text + "inferctl engines lists the names of files that inferd reads. Rename the file if it is one of these.";
  }
  if (reason.contains("config") && arguments.configuration.empty()) {
    return text + "Write what is missing into a file, and give it with --config FILE (docs/models.md).";
  }
  return text + "Nothing was made. With --no-check it is made all the same.";
}

// Has inferd read, load and try the model in the hidden folder. FAILED_PRECONDITION if it cannot be served.
Status CheckMade(const StagedModel& staged, const InitArguments& arguments, Made& made) {
  Target target = TargetIn(staged.repository().string(), made.model);
  target.options.insert(target.options.end(), kQuiet.begin(), kQuiet.end());
  if (arguments.allow_pickle) target.options.push_back("--allow-pickle=" + made.model);
  std::vector<std::string> options = target.options;
  options.insert(options.begin(), "--dry-run");
  std::string printed;
  INFERD_ASSIGN_OR_RETURN(const int exit_status, RunServerProgram(options, &printed));
  const ValidationReport report = ParseValidationReport(printed);
  std::vector<std::string> problems = report.problems;
  for (const ValidationReport::Model& model : report.models) {
    problems.insert(problems.end(), model.problems.begin(), model.problems.end());
    made.warnings.insert(made.warnings.end(), model.warnings.begin(), model.warnings.end());
    for (const auto& [version, text] : model.configurations) made.backend = FieldOf(text, "backend");
  }
  if (exit_status != 0) {
    const std::string reason = problems.empty() ? "inferd --dry-run failed" : problems.front();
    return base::FailedPrecondition(WhyNotServed(WithFinalPlace(reason, staged, arguments), arguments));
  }
  made.trial = Try(target);
  if (!made.trial.reason.empty()) {
    return base::FailedPrecondition(WhyNotServed(WithFinalPlace(made.trial.reason, staged, arguments), arguments));
  }
  made.checked = true;
  return base::OkStatus();
}

// Adds the person's configuration, or leaves out the folder's if the model has one already.
Status SettleConfiguration(const InitArguments& arguments, bool model_exists, Made& made) {
  std::error_code error;
  if (model_exists) {
    if (!arguments.configuration.empty()) {
      return base::AlreadyExists("the model " + base::QuotedName(made.model) + " is there already, and all its " +
                                 "versions share one configuration: edit '" + (made.folder / "config.pbtxt").string() +
                                 "'");
    }
    const size_t before = made.parts.size();
    std::erase_if(made.parts, [&](const ModelPart& part) { return *part.to.begin() != made.version; });
    if (made.parts.size() < before) {
      made.warnings.emplace_back("the folder's config.pbtxt was not taken: all versions of a model share one");
    }
    return base::OkStatus();
  }
  if (arguments.configuration.empty()) return base::OkStatus();
  std::erase_if(made.parts, [](const ModelPart& part) { return part.to == "config.pbtxt"; });
  made.parts.push_back({fs::absolute(arguments.configuration, error), "config.pbtxt"});
  return base::OkStatus();
}

void NoteOlderVersion(const std::vector<int64_t>& versions, Made& made) {
  if (versions.empty() || std::stoll(made.version) > versions.back()) return;
  made.warnings.push_back("version " + std::to_string(versions.back()) + " is newer, and stays the one that serves, " +
                          "unless a version_policy in config.pbtxt says otherwise");
}

base::Result<Made> MakeModel(const InitArguments& arguments) {
  const fs::path naming = NamingPath(arguments.path);
  std::error_code error;
  if (!fs::exists(arguments.path, error) && !arguments.name.empty() && fs::exists(arguments.name, error)) {
    return std::unexpected(base::InvalidArgument("the name comes before the file: inferctl init " +
                                                 ShellWord(arguments.path) + " " + ShellWord(arguments.name)));
  }
  Made made;
  made.linked = arguments.link;
  made.model = arguments.name.empty() ? DefaultModelName(naming, fs::is_directory(naming, error)) : arguments.name;
  INFERD_RETURN_IF_ERROR(CheckModelName(made.model));
  const fs::path repository = arguments.repository;
  made.folder = repository / made.model;
  std::vector<std::string> patterns;
  if (auto known = FilePatterns(); known.has_value()) {
    patterns = *std::move(known);
  } else if (!arguments.no_check) {
    return std::unexpected(known.error());
  }
  const bool model_exists = fs::exists(fs::symlink_status(made.folder, error));
  INFERD_ASSIGN_OR_RETURN(made.version, ChooseVersion(arguments.version, made.model, made.folder));
  const std::vector<int64_t> versions = VersionsOf(made.folder);
  INFERD_ASSIGN_OR_RETURN(made.parts, PartsOf(arguments.path, made.version, patterns));
  INFERD_RETURN_IF_ERROR(SettleConfiguration(arguments, model_exists, made));
  INFERD_ASSIGN_OR_RETURN(StagedModel staged, StagedModel::Create(repository, made.model, made.version));
  INFERD_RETURN_IF_ERROR(staged.Fill(made.parts, made.linked));
  INFERD_RETURN_IF_ERROR(staged.LinkShared());
  if (!arguments.no_check) INFERD_RETURN_IF_ERROR(CheckMade(staged, arguments, made));
  if (WasInterrupted()) return std::unexpected(base::Cancelled("interrupted"));
  INFERD_RETURN_IF_ERROR(staged.Publish());
  NoteOlderVersion(versions, made);
  made.serve = "inferd " + ShellWord(repository.string());
  if (arguments.allow_pickle) made.serve += " --allow-pickle " + ShellWord(made.model);
  return made;
}

void ShowMade(const Made& made, std::ostream& stream) {
  for (const ModelPart& part : made.parts) {
    stream << (made.folder / part.to).string() << (made.linked ? "  is a link to " : "  copied from ")
           << part.from.string() << "\n";
  }
  for (const std::string& warning : made.warnings) stream << "warning: " << warning << "\n";
  const Trial& trial = made.trial;
  if (!made.checked) {
    stream << "not checked\n";
  } else if (!trial.untried.empty()) {
    stream << "not tried: " << trial.untried << "\n";
  } else {
    stream << "inferd loads it (backend " << made.backend << "), and it "
           << (trial.refusal.empty() ? "answers a request of zeros"
                                     : "refuses a request of zeros, which may be no values for it: " + trial.refusal)
           << "\n";
  }
  stream << "\nServe it:\n  " << made.serve << "\nThen ask it, in another terminal:\n  "
         << (trial.command.empty() ? "inferctl infer " + ShellWord(made.model) + " --fill zeros" : trial.command)
         << "\n";
}

void WriteMade(const Made& made, const Output& out) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("model", made.model);
  writer.Member("version", made.version);
  writer.Member("folder", made.folder.string());
  writer.Member("linked", made.linked);
  writer.Key("files");
  writer.BeginArray();
  for (const ModelPart& part : made.parts) {
    writer.BeginObject();
    writer.Member("from", part.from.string());
    writer.Member("to", part.to.string());
    writer.EndObject();
  }
  writer.EndArray();
  writer.Member("checked", made.checked);
  writer.Member("backend", made.backend);
  WriteTexts(writer, "warnings", made.warnings);
  writer.Member("serve", made.serve);
  if (made.checked) {
    writer.Key("trial");
    WriteTrial(writer, made.trial);
  }
  writer.EndObject();
  out.Write(writer);
}

}  // namespace

base::Result<int> Init(const InitArguments& arguments, const Output& out) {
  const InterruptCatcher catcher;
  base::Result<Made> result = MakeModel(arguments);
  // inferd, which Ctrl-C ends, too, may have been blamed.
  if (!result.has_value() && WasInterrupted()) return std::unexpected(base::Cancelled("interrupted: nothing was made"));
  INFERD_ASSIGN_OR_RETURN(const Made made, std::move(result));
  out.json ? WriteMade(made, out) : ShowMade(made, out.stream);
  return 0;
}

}  // namespace inferd::ctl
