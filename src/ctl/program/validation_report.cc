#include "ctl/program/validation_report.h"

#include <algorithm>
#include <utility>

#include "ctl/text/json_texts.h"

namespace inferd::ctl {

namespace {

constexpr std::string_view kItemIndent = "  ";
constexpr std::string_view kFurtherIndent = "    ";

// Removes `prefix` from the beginning of `text`. Returns false if it is not there.
bool Take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// True for the last line: "3 models, 0 problems".
bool IsSummary(std::string_view line) {
  const size_t digits = line.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && line.substr(digits).starts_with(" model");
}

// The lines of one item. The first line is without the label of its kind.
struct Item {
  enum class Kind { kNone, kProblem, kWarning, kNote, kConfiguration };
  Kind kind = Kind::kNone;
  std::string version;  // for a configuration
  std::string text;
};

Item BeginItem(std::string_view line) {
  using enum Item::Kind;
  if (Take(line, "problem: ")) return {kProblem, "", std::string(line)};
  if (Take(line, "warning: ")) return {kWarning, "", std::string(line)};
  constexpr std::string_view kConfigurationEnd = ", completed configuration:";
  if (line.starts_with("version ") && line.ends_with(kConfigurationEnd)) {
    line.remove_prefix(std::string_view("version ").size());
    line.remove_suffix(kConfigurationEnd.size());
    return {kConfiguration, std::string(line), ""};
  }
  return {kNote, "", std::string(line)};
}

void AddItem(Item item, ValidationReport& report) {
  using enum Item::Kind;
  if (item.kind == kNone) return;
  if (report.models.empty()) {
    report.problems.push_back(std::move(item.text));
    return;
  }
  ValidationReport::Model& model = report.models.back();
  switch (item.kind) {
    case kProblem: model.problems.push_back(std::move(item.text)); break;
    case kWarning: model.warnings.push_back(std::move(item.text)); break;
    case kConfiguration: model.configurations.push_back({std::move(item.version), std::move(item.text)}); break;
    default: model.notes.push_back(std::move(item.text)); break;
  }
}

}  // namespace

ValidationReport ParseValidationReport(std::string_view printed) {
  ValidationReport report;
  Item item;
  while (!printed.empty()) {
    std::string_view line = printed.substr(0, printed.find('\n'));
    printed.remove_prefix(std::min(line.size() + 1, printed.size()));
    if (item.kind != Item::Kind::kNone && Take(line, kFurtherIndent)) {
      if (!item.text.empty()) item.text += '\n';
      item.text += line;
      continue;
    }
    AddItem(std::exchange(item, {}), report);
    if (Take(line, kItemIndent)) {
      item = BeginItem(line);
    } else if (Take(line, "model '")) {
      const size_t name_end = line.find("' in ");
      ValidationReport::Model& model = report.models.emplace_back();
      model.name = line.substr(0, name_end);
      if (name_end != std::string_view::npos) model.folder = line.substr(name_end + std::string_view("' in ").size());
    } else if (!line.empty() && !IsSummary(line)) {
      report.problems.emplace_back(line);
    }
  }
  AddItem(std::move(item), report);
  return report;
}

void WriteValidationReport(json::Writer& writer, std::string_view path, bool valid, const ValidationReport& report,
                           const std::function<void(json::Writer&)>& write_further) {
  writer.BeginObject();
  writer.Member("path", path);
  writer.Member("valid", valid);
  WriteTexts(writer, "problems", report.problems);
  writer.Key("models");
  writer.BeginArray();
  for (const ValidationReport::Model& model : report.models) {
    writer.BeginObject();
    writer.Member("name", model.name);
    writer.Member("folder", model.folder);
    WriteTexts(writer, "problems", model.problems);
    WriteTexts(writer, "warnings", model.warnings);
    WriteTexts(writer, "notes", model.notes);
    writer.Key("configurations");
    writer.BeginArray();
    for (const auto& [version, text] : model.configurations) {
      writer.BeginObject();
      writer.Member("version", version);
      writer.Member("text", text);
      writer.EndObject();
    }
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
  if (write_further) write_further(writer);
  writer.EndObject();
}

}  // namespace inferd::ctl
