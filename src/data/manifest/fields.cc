#include "data/manifest/fields.h"

#include <charconv>
#include <utility>

namespace inferd::manifest {

namespace {

constexpr std::string_view kMustBeString = "must be a string";
constexpr std::string_view kMustBeInteger = "must be an integer";

std::string Got(std::string_view must, Kind got) { return std::string(must) + ", not " + std::string(KindName(got)); }

}  // namespace

std::optional<int64_t> ParseInt64(std::string_view text) {
  int64_t number = 0;
  const auto [parsed, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || parsed != text.data() + text.size()) return std::nullopt;
  return number;
}

Fields::Fields(const Value& value, std::string path, Problems& problems)
    : value_(&value), path_(std::move(path)), problems_(&problems) {
  if (!value.is(Kind::kMap)) Fail("", Got("must be a map", value.kind()));
}

const Value* Fields::Find(std::string_view key) const {
  const Value* field = value_->Find(key);
  return field == nullptr || field->is(Kind::kNull) ? nullptr : field;
}

const Value* Fields::FindKind(std::string_view key, Kind kind, std::string_view must) {
  const Value* field = Find(key);
  if (field == nullptr || field->is(kind)) return field;
  Fail(key, Got(must, field->kind()));
  return nullptr;
}

void Fields::Read(std::string_view key, std::string& target) {
  if (const Value* field = FindKind(key, Kind::kString, kMustBeString)) target = field->text();
}

void Fields::Read(std::string_view key, bool& target) {
  if (const Value* field = FindKind(key, Kind::kBool, "must be true or false")) target = field->boolean();
}

void Fields::Read(std::string_view key, int64_t& target) {
  const Value* field = FindKind(key, Kind::kNumber, kMustBeInteger);
  if (field == nullptr) return;
  if (const auto number = ParseInt64(field->text())) {
    target = *number;
  } else {
    Fail(key, std::string(kMustBeInteger) + ", not " + field->text());
  }
}

void Fields::Read(std::string_view key, std::optional<std::string>& target) {
  if (const Value* field = FindKind(key, Kind::kString, kMustBeString)) target = field->text();
}

void Fields::Read(std::string_view key, std::optional<bool>& target) {
  if (const Value* field = FindKind(key, Kind::kBool, "must be true or false")) target = field->boolean();
}

void Fields::Read(std::string_view key, std::optional<int64_t>& target) {
  const size_t before = problems_->size();
  int64_t number = 0;
  Read(key, number);
  if (Find(key) != nullptr && problems_->size() == before) target = number;
}

void Fields::Read(std::string_view key, std::vector<std::string>& target) {
  const Value* list = FindKind(key, Kind::kList, "must be a list of strings");
  if (list == nullptr) return;
  const std::string list_path = PathOf(path_, key);
  for (size_t i = 0; i < list->items().size(); ++i) {
    const Value& item = list->items()[i];
    if (item.is(Kind::kString)) {
      target.push_back(item.text());
    } else {
      problems_->push_back({item.position(), PathOf(list_path, i), Got(kMustBeString, item.kind())});
    }
  }
}

void Fields::Read(std::string_view key, StringMap& target) {
  const Value* map = FindKind(key, Kind::kMap, "must be a map of strings");
  if (map == nullptr) return;
  for (const Member& member : map->members()) {
    if (member.value.is(Kind::kString)) {
      target[member.key] = member.value.text();
    } else {
      problems_->push_back(
          {member.value.position(), PathOf(PathOf(path_, key), member.key), Got(kMustBeString, member.value.kind())});
    }
  }
}

void Fields::ReadTextOrNumber(std::string_view key, std::string& target) {
  const Value* field = Find(key);
  if (field == nullptr) return;
  if (field->is(Kind::kString) || field->is(Kind::kNumber)) {
    target = field->text();
  } else {
    Fail(key, Got("must be a string or a number", field->kind()));
  }
}

std::optional<Fields> Fields::Map(std::string_view key) {
  const Value* field = FindKind(key, Kind::kMap, "must be a map");
  if (field == nullptr) return std::nullopt;
  return Fields(*field, PathOf(path_, key), *problems_);
}

std::vector<Fields> Fields::Maps(std::string_view key) {
  std::vector<Fields> maps;
  const Value* list = FindKind(key, Kind::kList, "must be a list");
  if (list == nullptr) return maps;
  const std::string list_path = PathOf(path_, key);
  for (size_t i = 0; i < list->items().size(); ++i) {
    Fields item(list->items()[i], PathOf(list_path, i), *problems_);
    if (item.value().is(Kind::kMap)) maps.push_back(std::move(item));
  }
  return maps;
}

void Fields::Fail(std::string_view key, std::string message) {
  const Value* field = key.empty() ? value_ : value_->Find(key);
  problems_->push_back({.position = field == nullptr ? value_->position() : field->position(),
                        .path = key.empty() ? path_ : PathOf(path_, key),
                        .message = std::move(message)});
}

}  // namespace inferd::manifest
