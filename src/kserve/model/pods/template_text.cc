#include "kserve/model/pods/template_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/printable.h"
#include "data/manifest/problem.h"

namespace inferd::model {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool IsIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view TrimLeft(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text;
}

std::string_view TrimRight(std::string_view text) { return text.substr(0, text.find_last_not_of(kSpace) + 1); }

// Escapes like Go's html/template does for text between tags.
std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&#34;"; break;
      case '\'': escaped += "&#39;"; break;
      case '+': escaped += "&#43;"; break;
      case '\0': escaped += "\xef\xbf\xbd"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

// Reads the text between the braces of a placeholder.
class ActionReader {
 public:
  ActionReader(std::string_view action, const TemplateValues& values) : rest_(TrimLeft(action)), values_(values) {}

  // Returns the placeholder's value. nullopt if its form is not supported.
  std::optional<std::string> Read() {
    if (rest_.starts_with("/*") && rest_.ends_with("*/")) return "";
    std::optional<std::string> value = rest_.starts_with('.') ? ReadChain() : ReadIndex();
    if (!value.has_value() || !TrimLeft(rest_).empty()) return std::nullopt;
    return value;
  }

 private:
  // Reads ".Labels". Empty if there is no name.
  std::string_view ReadField() {
    if (!rest_.starts_with('.')) return {};
    size_t size = 1;
    while (size < rest_.size() && IsIdentifier(rest_[size])) ++size;
    const std::string_view name = rest_.substr(1, size - 1);
    rest_.remove_prefix(size);
    return name;
  }

  // Reads .Name, or .Labels.team.
  std::optional<std::string> ReadChain() {
    const std::string name(ReadField());
    if (const auto field = values_.fields.find(name); field != values_.fields.end()) return field->second;
    const auto map = values_.maps.find(name);
    const std::string key(ReadField());
    if (map == values_.maps.end() || key.empty()) return std::nullopt;
    return Lookup(map->second, key);
  }

  // Reads index .Labels "team".
  std::optional<std::string> ReadIndex() {
    constexpr std::string_view kIndex = "index";
    if (!rest_.starts_with(kIndex)) return std::nullopt;
    rest_.remove_prefix(kIndex.size());
    if (TrimLeft(rest_).size() == rest_.size()) return std::nullopt;
    rest_ = TrimLeft(rest_);
    const auto map = values_.maps.find(std::string(ReadField()));
    rest_ = TrimLeft(rest_);
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (map == values_.maps.end() || (quote != '"' && quote != '`')) return std::nullopt;
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string key(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    if (key.contains('\\') && quote == '"') return std::nullopt;
    return Lookup(map->second, key);
  }

  static std::string Lookup(const StringMap& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? "" : found->second;
  }

  std::string_view rest_;
  const TemplateValues& values_;
};

std::string FormsOf(const TemplateValues& values) {
  std::string forms;
  for (const auto& [name, value] : values.fields) forms += (forms.empty() ? "." : ", .") + name;
  for (const auto& [name, map] : values.maps) forms += ", ." + name + ".KEY, index ." + name + " \"KEY\"";
  return forms;
}

// Replaces the placeholders of a text, from left to right.
class TemplateExpander {
 public:
  TemplateExpander(std::string_view text, const TemplateValues& values, Escaping escaping)
      : rest_(text), values_(values), escaping_(escaping) {}

  base::Result<std::string> Expand() {
    for (;;) {
      const size_t begin = rest_.find("{{");
      if (begin == std::string_view::npos) break;
      INFERD_RETURN_IF_ERROR(ExpandNext(begin));
    }
    return expanded_ + std::string(rest_);
  }

 private:
  base::Status ExpandNext(size_t begin) {
    const size_t end = rest_.find("}}", begin);
    if (end == std::string_view::npos) {
      return base::InvalidArgument(base::QuotedName(rest_.substr(begin)) + ": a placeholder is not closed by }}");
    }
    std::string_view before = rest_.substr(0, begin);
    const std::string_view whole = rest_.substr(begin, end + 2 - begin);
    std::string_view action = whole.substr(2, whole.size() - 4);
    rest_.remove_prefix(end + 2);
    if (action.size() >= 2 && action[0] == '-' && kSpace.contains(action[1])) {
      before = TrimRight(before);
      action.remove_prefix(1);
    }
    if (action.size() >= 2 && action.back() == '-' && kSpace.contains(action[action.size() - 2])) {
      action.remove_suffix(1);
      rest_ = TrimLeft(rest_);
    }
    const auto value = ActionReader(TrimRight(action), values_).Read();
    if (!value.has_value()) {
      return base::InvalidArgument(base::QuotedName(whole) + ": no placeholder; there are " + FormsOf(values_));
    }
    expanded_ += before;
    expanded_ += escaping_ == Escaping::kHtml ? EscapeHtml(*value) : *value;
    return base::OkStatus();
  }

  std::string_view rest_;
  const TemplateValues& values_;
  const Escaping escaping_;
  std::string expanded_;
};

base::Status ReplaceIn(manifest::Value& value, const std::string& path, const TemplateValues& values) {
  if (value.is(manifest::Kind::kString)) {
    auto expanded = ExpandTemplate(value.text(), values, Escaping::kHtml);
    if (!expanded.has_value()) return expanded.error().WithContext(path);
    const manifest::Position position = value.position();
    value = manifest::Value::String(*std::move(expanded));
    value.set_position(position);
  }
  for (size_t i = 0; i < value.items().size(); ++i) {
    INFERD_RETURN_IF_ERROR(ReplaceIn(value.items()[i], manifest::PathOf(path, i), values));
  }
  for (manifest::Member& member : value.members()) {
    INFERD_RETURN_IF_ERROR(ReplaceIn(member.value, manifest::PathOf(path, member.key), values));
  }
  return base::OkStatus();
}

}  // namespace

TemplateValues TemplateValues::Of(const ObjectMeta& metadata) {
  return {.fields = {{"Name", metadata.name}, {"Namespace", metadata.namespace_name}},
          .maps = {{"Labels", metadata.labels}, {"Annotations", metadata.annotations}}};
}

base::Result<std::string> ExpandTemplate(std::string_view text, const TemplateValues& values, Escaping escaping) {
  return TemplateExpander(text, values, escaping).Expand();
}

base::Result<manifest::Value> ReplacePlaceholders(const manifest::Value& document, const ObjectMeta& metadata) {
  manifest::Value replaced = document;
  INFERD_RETURN_IF_ERROR(ReplaceIn(replaced, "", TemplateValues::Of(metadata)));
  return replaced;
}

}  // namespace inferd::model
