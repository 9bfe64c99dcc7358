#include "data/gjson/path.h"

#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "data/gjson/path_parser.h"
#include "data/json/reader.h"

namespace inferd::gjson {

namespace {

using json::ValueType;
using Components = std::span<const Component>;
using Kind = Component::Kind;
using Op = Query::Op;

// A value's text: a part of the document, or composed of parts.
struct Found {
  std::string_view text;
  std::shared_ptr<const std::string> owner;  // null if the text is part of the document
};

Found Made(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {*owner, owner};
}

// Inner text was checked before, so errors are ignored here: what cannot be read does not exist.
std::optional<Found> Find(const Found& value, Components path);

// Calls `visit` for each element until it returns that it is enough. Returns false if the value is not a list.
bool ForEach(const Found& value, auto visit) {
  json::Reader reader(value.text);
  if (reader.Peek() != ValueType::kArray || !reader.BeginArray().ok()) return false;
  while (reader.NextElement().value_or(false)) {
    const auto element = reader.ReadRaw();
    if (!element.has_value() || visit(Found{*element, value.owner})) break;
  }
  return true;
}

std::optional<Found> FindElement(const Found& value, const std::string& number, Components rest) {
  size_t index = 0;
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  std::optional<Found> found;
  ForEach(value, [&](const Found& element) {
    if (index-- > 0) return false;
    found = Find(element, rest);
    return true;
  });
  return found;
}

std::optional<Found> FindMember(const Found& value, const Component& name, Components rest) {
  json::Reader reader(value.text);
  if (reader.Peek() != ValueType::kObject || !reader.BeginObject().ok()) return std::nullopt;
  while (true) {
    const auto key = reader.NextKey();
    if (!key.has_value() || !key->has_value()) return std::nullopt;
    const bool same = name.kind == Kind::kPattern ? Matches(**key, name.text) : **key == name.text;
    if (!same) {
      if (!reader.SkipValue().ok()) return std::nullopt;
      continue;
    }
    const auto member = reader.ReadRaw();
    return member.has_value() ? Find({*member, value.owner}, rest) : std::nullopt;
  }
}

template <typename Type>
bool Holds(Op op, const Type& a, const Type& b) {
  switch (op) {
    case Op::kEqual: return a == b;
    case Op::kNotEqual: return a != b;
    case Op::kLess: return a < b;
    case Op::kLessEqual: return a <= b;
    case Op::kMore: return a > b;
    case Op::kMoreEqual: return a >= b;
    default: return false;
  }
}

// gjson orders true above false, and compares both with their names only.
bool HoldsOfBool(const Query& query, bool value) {
  const std::string_view name = value ? "true" : "false";
  const std::string_view other = value ? "false" : "true";
  switch (query.op) {
    case Op::kEqual: return query.value == name;
    case Op::kNotEqual: return query.value != name;
    case Op::kMore: return value && query.value == other;
    case Op::kMoreEqual: return value;
    case Op::kLess: return !value && query.value == other;
    case Op::kLessEqual: return !value;
    default: return false;
  }
}

bool HoldsOfString(const Query& query, const std::string_view value) {
  if (query.op == Op::kLike) return Matches(value, query.value);
  if (query.op == Op::kNotLike) return !Matches(value, query.value);
  return Holds<std::string_view>(query.op, value, query.value);
}

bool Compare(const Query& query, const Found& value) {
  if (query.op == Op::kExists) return true;
  json::Reader reader(value.text);
  const auto type = reader.Peek();
  if (!type.has_value()) return false;
  switch (*type) {
    case ValueType::kString: {
      const auto text = reader.ReadString();
      return text.has_value() && HoldsOfString(query, *text);
    }
    case ValueType::kNumber: {
      const auto number = reader.ReadDouble();
      return number.has_value() && Holds<double>(query.op, *number, query.number);
    }
    case ValueType::kBool: {
      const auto value_read = reader.ReadBool();
      return value_read.has_value() && HoldsOfBool(query, *value_read);
    }
    default: return false;
  }
}

bool Satisfies(const Query& query, const Found& element) {
  if (query.path.empty()) return Compare(query, element);
  const std::optional<Found> asked = Find(element, query.path);
  return asked.has_value() && Compare(query, *asked);
}

std::optional<Found> FindFirst(const Found& value, const Query& query, Components rest) {
  std::optional<Found> found;
  ForEach(value, [&](const Found& element) {
    if (!Satisfies(query, element)) return false;
    found = Find(element, rest);
    return true;
  });
  return found;
}

// Returns the list of the results of `rest` in each element that satisfies the query, if there is one.
std::optional<Found> FindAll(const Found& value, const Query* query, Components rest) {
  // After a pipe, the path continues with the list.
  size_t piped = 0;
  while (piped < rest.size() && !rest[piped].piped) ++piped;
  std::string list = "[";
  const bool is_list = ForEach(value, [&](const Found& element) {
    if (query != nullptr && !Satisfies(*query, element)) return false;
    if (const std::optional<Found> found = Find(element, rest.first(piped))) {
      if (list.size() > 1) list.push_back(',');
      list.append(found->text);
    }
    return false;
  });
  if (!is_list) return std::nullopt;
  list.push_back(']');
  return Find(Made(std::move(list)), rest.subspan(piped));
}

std::optional<Found> Count(const Found& value, Components rest) {
  size_t count = 0;
  const bool is_list = ForEach(value, [&](const Found&) {
    ++count;
    return false;
  });
  if (!is_list) return std::nullopt;
  return Find(Made(std::to_string(count)), rest);
}

std::optional<Found> Find(const Found& value, Components path) {
  if (path.empty()) return value;
  const Component& component = path.front();
  const Components rest = path.subspan(1);
  switch (component.kind) {
    case Kind::kThis: return Find(value, rest);
    case Kind::kWrapped: return Find(Made("[" + std::string(value.text) + "]"), rest);
    case Kind::kFirst: return FindFirst(value, *component.query, rest);
    case Kind::kAll: return FindAll(value, component.query.get(), rest);
    case Kind::kCount: return rest.empty() || rest.front().piped ? Count(value, rest) : FindAll(value, nullptr, rest);
    case Kind::kPattern: return FindMember(value, component, rest);
    case Kind::kKey: break;
  }
  auto found = FindElement(value, component.text, rest);
  return found.has_value() ? std::move(found) : FindMember(value, component, rest);
}

}  // namespace

base::Result<Path> Path::Parse(std::string_view text) {
  INFERD_ASSIGN_OR_RETURN(std::vector<Component> components, PathParser(text).Parse());
  return Path(std::move(components));
}

base::Result<bool> Path::ExistsIn(std::string_view document) const {
  json::Reader reader(document);
  INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadRaw());
  INFERD_RETURN_IF_ERROR(reader.Finish());
  return Find({value, nullptr}, components_).has_value();
}

}  // namespace inferd::gjson
