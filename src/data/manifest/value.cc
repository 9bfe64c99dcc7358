#include "data/manifest/value.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace inferd::manifest {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return "a boolean";
    case Kind::kNumber: return "a number";
    case Kind::kString: return "a string";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
  }
  return "";
}

Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value::Value(Kind kind) : kind_(kind) {}

Value Value::Bool(bool value) {
  Value made(Kind::kBool);
  made.boolean_ = value;
  return made;
}

Value Value::Int(int64_t value) { return Number(std::to_string(value)); }

Value Value::Number(std::string text) {
  Value made(Kind::kNumber);
  made.text_ = std::move(text);
  return made;
}

Value Value::String(std::string text) {
  Value made(Kind::kString);
  made.text_ = std::move(text);
  return made;
}

Value Value::List(std::vector<Value> items) {
  Value made(Kind::kList);
  made.items_ = std::move(items);
  return made;
}

Value Value::Map() { return Value(Kind::kMap); }

Value Value::Map(std::initializer_list<Member> members) {
  Value made(Kind::kMap);
  made.members_.assign(members.begin(), members.end());
  return made;
}

const Value* Value::Find(std::string_view key) const {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found == members_.end() ? nullptr : &found->value;
}

Value* Value::Find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }

Value& Value::At(std::string_view key) {
  assert(kind_ == Kind::kMap);
  if (Value* found = Find(key); found != nullptr) return *found;
  return members_.emplace_back(Member{.key = std::string(key), .value = {}}).value;
}

Value& Value::MapAt(std::string_view key) {
  Value& value = At(key);
  if (value.kind_ == Kind::kNull) value.kind_ = Kind::kMap;
  assert(value.kind_ == Kind::kMap);
  return value;
}

void Value::Set(std::string_view key, Value value) { At(key) = std::move(value); }

bool Value::Remove(std::string_view key) {
  return std::erase_if(members_, [&](const Member& member) { return member.key == key; }) > 0;
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind_ != b.kind_ || a.boolean_ != b.boolean_ || a.text_ != b.text_ || a.items_ != b.items_) return false;
  if (a.members_.size() != b.members_.size()) return false;
  return std::ranges::all_of(a.members_, [&](const Member& member) {
    const Value* other = b.Find(member.key);
    return other != nullptr && *other == member.value;
  });
}

}  // namespace inferd::manifest
