#include "data/gjson/path_parser.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace inferd::gjson {

namespace {

using Op = Query::Op;

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n\r") - begin + 1);
}

// Returns the end of the quoted text that begins at `at`: after its quote, or the end of the text.
size_t BehindQuoted(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Returns the position of the bracket that closes the one opened before `at`, or npos.
size_t FindClosing(std::string_view text, size_t at) {
  size_t open = 1;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = BehindQuoted(text, at);
      continue;
    }
    if (c == '\\') ++at;
    if (c == '(' || c == '[' || c == '{') ++open;
    if ((c == ')' || c == ']' || c == '}') && --open == 0) return at;
    ++at;
  }
  return std::string_view::npos;
}

// Finds the first operator outside of brackets and quotes.
size_t FindOperator(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    switch (text[at]) {
      case '"': at = BehindQuoted(text, at); continue;
      case '\\': at += 2; continue;
      case '(':
      case '[':
      case '{': {
        const size_t end = FindClosing(text, at + 1);
        if (end == std::string_view::npos) return end;
        at = end + 1;
        continue;
      }
      case '=':
      case '!':
      case '<':
      case '>':
      case '%': return at;
      default: ++at;
    }
  }
  return std::string_view::npos;
}

struct Operator {
  std::string_view text;
  Op op;
};
// Longer operators come first.
constexpr std::array<Operator, 9> kOperators = {{{"==", Op::kEqual},
                                                 {"!=", Op::kNotEqual},
                                                 {"<=", Op::kLessEqual},
                                                 {">=", Op::kMoreEqual},
                                                 {"!%", Op::kNotLike},
                                                 {"=", Op::kEqual},
                                                 {"<", Op::kLess},
                                                 {">", Op::kMore},
                                                 {"%", Op::kLike}}};

// Returns a value for comparison: without quotes and escapes.
std::string Unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  text = text.substr(1, text.size() - 2);
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain.push_back(text[i]);
  }
  return plain;
}

}  // namespace

base::Status PathParser::Error(std::string_view what) const {
  return base::InvalidArgument("condition '" + std::string(text_) + "': " + std::string(what) + " at character " +
                               std::to_string(at_ + 1));
}

base::Result<std::vector<Component>> PathParser::Parse() {
  if (text_.size() > kBytesMax) {
    return std::unexpected(base::InvalidArgument("a condition of more than " + std::to_string(kBytesMax) + " bytes"));
  }
  std::vector<Component> components;
  bool piped = false;
  while (true) {
    if (components.size() == kComponentsMax) return std::unexpected(Error("too many parts"));
    Component& component = components.emplace_back();
    component.piped = piped;
    INFERD_RETURN_IF_ERROR(ParseComponent(component));
    if (at_ == text_.size()) return components;
    if (text_[at_] != '.' && text_[at_] != '|') return std::unexpected(Error("expected '.' or '|'"));
    piped = text_[at_++] == '|';
  }
}

base::Status PathParser::ParseComponent(Component& component) {
  constexpr std::string_view kThis = "@this";
  constexpr std::string_view kWrapped = "[@this]";
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return Error("expected a name");
  if (rest.starts_with(kWrapped)) {
    component.kind = Component::Kind::kWrapped;
    at_ += kWrapped.size();
    return base::OkStatus();
  }
  if (rest.starts_with(kThis)) {
    component.kind = Component::Kind::kThis;
    at_ += kThis.size();
    return base::OkStatus();
  }
  switch (rest.front()) {
    case '#': return ParseHash(component);
    case '@': return Error("modifiers other than @this are not known here");
    case '[':
    case '{': return Error("multipaths other than [@this] are not known here");
    case '!': return Error("literals are not known here");
    case '.': return Error("expected a name; JSON lines are not known here");
    default: return ParseKey(component);
  }
}

base::Status PathParser::ParseHash(Component& component) {
  ++at_;
  component.kind = Component::Kind::kCount;
  if (at_ == text_.size() || text_[at_] == '.' || text_[at_] == '|') return base::OkStatus();
  if (text_[at_] != '(') return Error("expected '(', '.' or '|' behind '#'");
  if (queries_ == kQueriesMax) return Error("too many queries in each other");
  const size_t begin = at_ + 1;
  const size_t end = FindClosing(text_, begin);
  if (end == std::string_view::npos || text_[end] != ')') return Error("a '(' that is not closed");
  INFERD_ASSIGN_OR_RETURN(Query query, ParseQuery(text_.substr(begin, end - begin)));
  component.query = std::make_shared<const Query>(std::move(query));
  at_ = end + 1;
  component.kind = Component::Kind::kFirst;
  if (at_ < text_.size() && text_[at_] == '#') {
    component.kind = Component::Kind::kAll;
    ++at_;
  }
  return base::OkStatus();
}

base::Status PathParser::ParseKey(Component& component) {
  bool pattern = false;
  std::string plain;
  std::string escaped;
  for (; at_ < text_.size() && text_[at_] != '.' && text_[at_] != '|'; ++at_) {
    char c = text_[at_];
    escaped.push_back(c);
    if (c == '\\') {
      if (at_ + 1 == text_.size()) return Error("nothing behind '\\'");
      c = text_[++at_];
      escaped.push_back(c);
    } else {
      pattern |= c == '*' || c == '?';
    }
    plain.push_back(c);
  }
  if (plain.empty()) return Error("expected a name");
  component.kind = pattern ? Component::Kind::kPattern : Component::Kind::kKey;
  component.text = pattern ? std::move(escaped) : std::move(plain);
  return base::OkStatus();
}

base::Result<Query> PathParser::ParseQuery(std::string_view text) const {
  Query query;
  const size_t at = FindOperator(text);
  const std::string_view path = Trimmed(text.substr(0, at));
  if (!path.empty()) {
    INFERD_ASSIGN_OR_RETURN(query.path, PathParser(path, queries_ + 1).Parse());
  }
  if (at == std::string_view::npos) return query;
  const std::string_view rest = text.substr(at);
  for (const Operator& each : kOperators) {
    if (!rest.starts_with(each.text)) continue;
    query.op = each.op;
    const std::string_view value = Trimmed(rest.substr(each.text.size()));
    if (value.starts_with('~')) return std::unexpected(Error("comparisons with '~' are not known here"));
    query.value = Unquoted(value);
    const char* const end = query.value.data() + query.value.size();
    double number = 0;
    const auto read = std::from_chars(query.value.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) query.number = number;
    return query;
  }
  return std::unexpected(Error("'!' that is no comparison"));
}

bool Matches(std::string_view text, std::string_view pattern) {
  // The position of the last *, and how much it has matched so far.
  std::optional<size_t> star;
  size_t star_text = 0;
  size_t t = 0;
  size_t p = 0;
  while (t < text.size()) {
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (escaped ? pattern[p + 1] == text[t]
                       : p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      p += escaped ? 2 : 1;
      ++t;
    } else if (star.has_value()) {
      p = *star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace inferd::gjson
