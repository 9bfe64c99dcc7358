#include "ctl/manifests/manifest_report.h"

#include <ostream>
#include <string_view>

#include "base/text/nearest_name.h"

namespace inferd::ctl {

namespace {

using model::Object;
using model::ObjectReview;
using model::RuntimeCandidate;
using model::RuntimeSelection;
using model::ServingRuntime;
using model::UnknownField;

// Returns for example "InferenceService models/digits".
std::string Title(const Object& object) {
  const model::ObjectMeta& metadata = object.metadata();
  std::string title = object.kind.empty() ? "object" : object.kind;
  if (metadata.name.empty()) return title;
  title += " ";
  if (!metadata.namespace_name.empty()) title += metadata.namespace_name + "/";
  return title + metadata.name;
}

std::string Counted(size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

// For kinds that are not KServe's, only names and labels are checked.
std::string ValidText(const Object& object) {
  return std::holds_alternative<model::OtherObject>(object.typed) ? "valid, as far as is known of its kind" : "valid";
}

// Some of KServe's messages end with a line feed.
std::string Trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string_view Scope(const ServingRuntime& runtime) { return runtime.cluster_wide ? "cluster" : "namespace"; }

void PrintSelection(std::ostream& stream, const RuntimeSelection& selection) {
  if (selection.runtime != nullptr) {
    stream << "  runtime " << selection.runtime->metadata.name << " (of the " << Scope(*selection.runtime) << ")";
    if (!selection.protocol_version.empty()) stream << ", protocol " << selection.protocol_version;
    stream << "\n";
  }
  for (const RuntimeCandidate& candidate : selection.candidates) {
    if (candidate.runtime == selection.runtime) continue;
    stream << "  not " << candidate.runtime->metadata.name << ": " << candidate.reason << "\n";
  }
}

void WriteProblem(json::Writer& writer, std::string_view file, const manifest::Problem& problem) {
  writer.BeginObject();
  writer.Member("file", file);
  writer.Member("line", problem.position.line);
  writer.Member("column", problem.position.column);
  writer.Member("field", problem.path);
  writer.Member("message", Trimmed(problem.message));
  writer.EndObject();
}

// An unknown field is mostly a misspelled one.
std::string WarningOf(const UnknownField& field) {
  return "there is no such field, and it is dropped" + base::SuggestName(field.name, field.known);
}

void WriteSelection(json::Writer& writer, const RuntimeSelection& selection) {
  if (selection.runtime != nullptr) {
    writer.Member("runtime", selection.runtime->metadata.name);
    writer.Member("protocolVersion", selection.protocol_version);
  }
  writer.Key("candidates");
  writer.BeginArray();
  for (const RuntimeCandidate& candidate : selection.candidates) {
    writer.BeginObject();
    writer.Member("runtime", candidate.runtime->metadata.name);
    writer.Member("scope", Scope(*candidate.runtime));
    writer.Member("selected", candidate.runtime == selection.runtime);
    writer.Member("reason", candidate.reason);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteReview(json::Writer& writer, std::string_view file, const ObjectReview& review) {
  const Object& object = *review.object;
  writer.BeginObject();
  writer.Member("file", file);
  writer.Member("line", object.position.line);
  writer.Member("apiVersion", object.api_version);
  writer.Member("kind", object.kind);
  writer.Member("namespace", object.metadata().namespace_name);
  writer.Member("name", object.metadata().name);
  writer.Member("valid", review.problems.empty());
  writer.Key("problems");
  writer.BeginArray();
  for (const manifest::Problem& problem : review.problems) WriteProblem(writer, file, problem);
  writer.EndArray();
  writer.Key("warnings");
  writer.BeginArray();
  for (const UnknownField& field : review.unknown_fields) {
    WriteProblem(writer, file, {.position = field.position, .path = field.path, .message = WarningOf(field)});
  }
  writer.EndArray();
  if (review.selection.has_value()) WriteSelection(writer, *review.selection);
  writer.EndObject();
}

}  // namespace

size_t ManifestReport::problem_count() const {
  size_t count = problems.size();
  for (const ObjectReview& review : reviews) count += review.problems.size();
  return count;
}

void PrintManifestReport(std::ostream& stream, const ManifestReport& report) {
  for (const std::string& problem : report.problems) stream << problem << "\n";
  for (const ObjectReview& review : report.reviews) {
    const std::string& file = report.files.at(review.object);
    stream << file << ":" << review.object->position.line << ": " << Title(*review.object) << ": "
           << (review.problems.empty() ? ValidText(*review.object) : Counted(review.problems.size(), "problem"))
           << "\n";
    for (const manifest::Problem& problem : review.problems) stream << "  " << Trimmed(problem.ToString(file)) << "\n";
    for (const UnknownField& field : review.unknown_fields) {
      stream << "  warning: " << file << ":" << field.position.line << ":" << field.position.column << ": "
             << field.path << ": " << WarningOf(field) << "\n";
    }
    if (review.selection.has_value()) PrintSelection(stream, *review.selection);
  }
  stream << Counted(report.reviews.size(), "object") << ", " << Counted(report.problem_count(), "problem") << "\n";
}

void WriteManifestReport(json::Writer& writer, const ManifestReport& report) {
  writer.BeginObject();
  writer.Member("valid", report.problem_count() == 0);
  writer.Key("problems");
  writer.BeginArray();
  for (const std::string& problem : report.problems) writer.String(problem);
  writer.EndArray();
  writer.Key("objects");
  writer.BeginArray();
  for (const ObjectReview& review : report.reviews) WriteReview(writer, report.files.at(review.object), review);
  writer.EndArray();
  writer.EndObject();
}

}  // namespace inferd::ctl
