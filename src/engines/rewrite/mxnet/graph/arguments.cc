#include "engines/rewrite/mxnet/graph/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace inferd::mxnet {

namespace {

constexpr size_t kPartsMax = 64;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Python 2 wrote large integers as 3L.
std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.ends_with('L')) text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseFloat(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// True for notes of users and optimizers, which are not arguments: "__lr_mult__". In files of old versions they have no
// underscores, and concern the node or one of its weights ("weight_lr_mult").
bool IsNote(std::string_view name) {
  if (name.starts_with("__")) return true;
  constexpr std::string_view kNotes[] = {"ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage"};
  return std::ranges::any_of(
      kNotes, [name](std::string_view note) { return name == note || name.ends_with("_" + std::string(note)); });
}

}  // namespace

std::optional<OptionalInts> ParseTuple(std::string_view text) {
  text = Trimmed(text);
  const bool open = text.starts_with('(') || text.starts_with('[');
  if (open != (text.ends_with(')') || text.ends_with(']'))) return std::nullopt;
  if (open) text = Trimmed(text.substr(1, text.size() - 2));
  OptionalInts parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = Trimmed(text.substr(0, comma));
    const auto value = ParseInt(part);
    if ((!value.has_value() && part != "None") || parts.size() == kPartsMax) return std::nullopt;
    parts.push_back(value);
    text = Trimmed(text.substr(std::min(comma + 1, text.size())));
  }
  return parts;
}

const std::string* Arguments::Find(std::string_view name) {
  asked_.emplace(name);
  const auto found = node_.attributes.find(name);
  return found == node_.attributes.end() ? nullptr : &found->second;
}

void Arguments::RefuseValue(std::string_view name, std::string_view value, std::string_view what) {
  Refuse("argument '" + std::string(name) + "' is '" + std::string(value.substr(0, 100)) + "', which is no " +
         std::string(what));
}

std::optional<int64_t> Arguments::IntIfAny(std::string_view name) {
  const std::string* const text = Find(name);
  if (text == nullptr || *text == "None") return std::nullopt;
  const auto value = ParseInt(*text);
  if (!value.has_value()) RefuseValue(name, *text, "integer");
  return value;
}

int64_t Arguments::Int(std::string_view name, int64_t otherwise) { return IntIfAny(name).value_or(otherwise); }

double Arguments::Float(std::string_view name, double otherwise) {
  const std::string* const text = Find(name);
  if (text == nullptr || *text == "None") return otherwise;
  const auto value = ParseFloat(*text);
  if (!value.has_value() || !std::isfinite(*value)) RefuseValue(name, *text, "number");
  return value.value_or(otherwise);
}

bool Arguments::Flag(std::string_view name, bool otherwise) {
  const std::string* const text = Find(name);
  if (text == nullptr || *text == "None") return otherwise;
  if (*text == "True" || *text == "true" || *text == "1") return true;
  if (*text != "False" && *text != "false" && *text != "0") RefuseValue(name, *text, "True or False");
  return false;
}

std::string_view Arguments::Text(std::string_view name, std::string_view otherwise) {
  const std::string* const text = Find(name);
  return text == nullptr || *text == "None" ? otherwise : *text;
}

Element Arguments::Datatype(std::string_view name, Element otherwise) {
  const std::string* const text = Find(name);
  if (text == nullptr || *text == "None") return otherwise;
  const Element element = ElementOfName(*text);
  if (element == Element::kUndefined) RefuseValue(name, *text, "datatype that is supported");
  return element;
}

OptionalInts Arguments::IntsOrNone(std::string_view name) {
  const std::string* const text = Find(name);
  if (text == nullptr || *text == "None") return {};
  auto parts = ParseTuple(*text);
  if (!parts.has_value()) RefuseValue(name, *text, "tuple of integers");
  return std::move(parts).value_or(OptionalInts());
}

std::vector<int64_t> Arguments::Ints(std::string_view name) {
  std::vector<int64_t> values;
  for (const auto& part : IntsOrNone(name)) {
    if (!part.has_value()) Refuse("argument '" + std::string(name) + "' has a part that is None");
    values.push_back(part.value_or(0));
  }
  return values;
}

void Arguments::Need(std::string_view name) {
  if (!Has(name)) Refuse("it has no argument '" + std::string(name) + "'");
}

void Arguments::Ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) asked_.emplace(name);
}

void Arguments::MustBeFalse(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (Flag(name, false)) Refuse("argument '" + std::string(name) + "' is not supported");
  }
}

void Arguments::Refuse(std::string message) {
  if (status_.ok()) status_ = base::InvalidArgument(std::move(message));
}

base::Status Arguments::Finish() {
  // The library and speed of a computation do not change its result.
  Ignore({"workspace", "cudnn_tune", "cudnn_off", "cudnn_algo_verbose", "cudnn_algo_fwd", "cudnn_algo_fwd_prec",
          "cudnn_algo_bwd_data", "cudnn_algo_bwd_filter", "num_args"});
  for (const auto& [name, value] : node_.attributes) {
    if (!asked_.contains(name) && !IsNote(name)) Refuse("argument '" + name + "' is not known");
  }
  return status_;
}

}  // namespace inferd::mxnet
