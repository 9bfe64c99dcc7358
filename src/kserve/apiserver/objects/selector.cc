#include "kserve/apiserver/objects/selector.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "data/manifest/names.h"
#include "data/manifest/value_path.h"

namespace inferd::apiserver {

namespace {

using manifest::Value;

constexpr size_t kRequirementsMax = 100;

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Splits at commas outside of parentheses.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool inside = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') inside = true;
    if (i < text.size() && text[i] == ')') inside = false;
    if (i < text.size() && (text[i] != ',' || inside)) continue;
    parts.push_back(Trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

ApiError BadSelector(std::string_view what, std::string_view text) {
  return BadRequestError("unable to parse " + std::string(what) + " selector: \"" + std::string(text) + "\"");
}

struct Operation {
  std::string_view left, op, right;
};

// Parses "a != b", "a == b", "a = b".
std::optional<Operation> SplitEquation(std::string_view part) {
  for (const std::string_view op : {"!=", "==", "="}) {
    const size_t at = part.find(op);
    if (at == std::string_view::npos) continue;
    return Operation{Trimmed(part.substr(0, at)), op, Trimmed(part.substr(at + op.size()))};
  }
  return std::nullopt;
}

// Parses "a in (b, c)", "a notin (b)".
std::optional<Operation> SplitSet(std::string_view part) {
  const size_t open = part.find('(');
  if (open == std::string_view::npos || !part.ends_with(')')) return std::nullopt;
  const std::string_view front = Trimmed(part.substr(0, open));
  const size_t space = front.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view op = Trimmed(front.substr(space));
  if (op != "in" && op != "notin") return std::nullopt;
  return Operation{front.substr(0, space), op, part.substr(open + 1, part.size() - open - 2)};
}

// Returns true if Kubernetes selects the kind by this field, besides name and namespace.
bool IsFieldOf(const ResourceType& type, std::string_view field) {
  static constexpr std::array<std::string_view, 10> kOfEvents = {"involvedObject.kind",
                                                                 "involvedObject.namespace",
                                                                 "involvedObject.name",
                                                                 "involvedObject.uid",
                                                                 "reason",
                                                                 "involvedObject.resourceVersion",
                                                                 "involvedObject.fieldPath",
                                                                 "involvedObject.apiVersion",
                                                                 "type",
                                                                 "reportingComponent"};
  static constexpr std::array<std::string_view, 3> kOfPods = {"status.phase", "spec.nodeName", "spec.restartPolicy"};
  if (field == "metadata.name" || (field == "metadata.namespace" && type.namespaced)) return true;
  if (type.kind == "Event") return std::ranges::find(kOfEvents, field) != kOfEvents.end();
  return type.kind == "Pod" && std::ranges::find(kOfPods, field) != kOfPods.end();
}

std::vector<std::string> PathOfField(std::string_view field) {
  std::vector<std::string> path;
  while (!field.empty()) {
    const size_t end = std::min(field.find('.'), field.size());
    path.emplace_back(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
  }
  return path;
}

}  // namespace

ApiResult<Selector> Selector::Parse(const ResourceType& type, std::string_view labels, std::string_view fields) {
  Selector selector;
  if (!Trimmed(labels).empty()) {
    const auto parts = Split(labels);
    if (parts.size() > kRequirementsMax) return std::unexpected(BadSelector("label", "too many requirements"));
    for (std::string_view part : parts) {
      Label label;
      if (const auto set = SplitSet(part); set.has_value()) {
        label.key = set->left;
        label.op = set->op == "in" ? Label::Operator::kIn : Label::Operator::kNotIn;
        for (const std::string_view value : Split(set->right)) label.values.emplace_back(value);
      } else if (const auto equation = SplitEquation(part); equation.has_value()) {
        label.key = equation->left;
        label.op = equation->op == "!=" ? Label::Operator::kNotIn : Label::Operator::kIn;
        label.values.emplace_back(equation->right);
      } else {
        label.op = part.starts_with('!') ? Label::Operator::kNotExists : Label::Operator::kExists;
        label.key = Trimmed(part.substr(part.starts_with('!') ? 1 : 0));
      }
      const bool sound = manifest::CheckQualifiedName(label.key).empty() &&
                         std::ranges::all_of(label.values, [](const std::string& value) {
                           return manifest::CheckLabelValue(value).empty();
                         });
      if (!sound) return std::unexpected(BadSelector("label", part));
      selector.labels_.push_back(std::move(label));
    }
  }
  if (!Trimmed(fields).empty()) {
    const auto parts = Split(fields);
    if (parts.size() > kRequirementsMax) return std::unexpected(BadSelector("field", "too many requirements"));
    for (const std::string_view part : parts) {
      const auto equation = SplitEquation(part);
      if (!equation.has_value()) return std::unexpected(BadSelector("field", part));
      if (!IsFieldOf(type, equation->left)) {
        return std::unexpected(BadRequestError("field label not supported: " + std::string(equation->left)));
      }
      selector.fields_.push_back(
          {.path = PathOfField(equation->left), .value = std::string(equation->right), .equal = equation->op != "!="});
    }
  }
  return selector;
}

bool Selector::Matches(const Value& object) const {
  const Value* const labels = labels_.empty() ? nullptr : FieldAt(object, {"metadata", "labels"});
  for (const Label& wanted : labels_) {
    const Value* const label = labels == nullptr ? nullptr : labels->Find(wanted.key);
    const bool listed = label != nullptr && std::ranges::find(wanted.values, label->text()) != wanted.values.end();
    const bool matches = wanted.op == Label::Operator::kIn       ? listed
                         : wanted.op == Label::Operator::kNotIn  ? !listed
                         : wanted.op == Label::Operator::kExists ? label != nullptr
                                                                 : label == nullptr;
    if (!matches) return false;
  }
  return std::ranges::all_of(fields_, [&](const Field& wanted) {
    const Value* field = &object;
    for (const std::string& key : wanted.path) field = field == nullptr ? nullptr : field->Find(key);
    return ((field == nullptr ? std::string() : field->text()) == wanted.value) == wanted.equal;
  });
}

}  // namespace inferd::apiserver
