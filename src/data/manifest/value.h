#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::manifest {

// Where a value stands in its file, both counted from 1. Line 0: in no file, a program made it.
struct Position {
  int line = 0;
  int column = 0;
};

enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kList, kMap };

// "null", "a boolean", "a number", "a string", "a list", "a map": for messages.
std::string_view KindName(Kind kind);

struct Member;

// One value of a Kubernetes object, with all that is in it: a tree as JSON has it. Maps keep the order of their
// members, which have keys of their own; numbers keep the text that they were written with, which is a JSON number.
//
// A value type. Const calls are thread-safe; calls for another kind than the value has are the caller's fault and
// asserted, but for Find and text(), which then find nothing.
class Value {
 public:
  Value();  // null
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  static Value Bool(bool value);
  static Value Int(int64_t value);
  // `text` is a JSON number.
  static Value Number(std::string text);
  static Value String(std::string text);
  static Value List(std::vector<Value> items = {});
  static Value Map();
  static Value Map(std::initializer_list<Member> members);
  // A map of strings, in the order given.
  template <typename Pairs>
  static Value StringMap(const Pairs& pairs);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }

  bool boolean() const { return boolean_; }
  // What a string says, or how a number is written; empty for others.
  const std::string& text() const { return text_; }

  std::vector<Value>& items() { return items_; }
  const std::vector<Value>& items() const { return items_; }

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  // The member's value; null: there is none, or this is no map.
  const Value* Find(std::string_view key) const;
  Value* Find(std::string_view key);
  // The member's value, which is made behind the others, as null, where there is none.
  Value& At(std::string_view key);
  // Likewise of kind map; a null becomes one.
  Value& MapAt(std::string_view key);
  void Set(std::string_view key, Value value);
  // Whether there was one.
  bool Remove(std::string_view key);

  Position position() const { return position_; }
  void set_position(Position position) { position_ = position; }

  // Equal in content: maps in any order, numbers by their text, wherever they stand.
  friend bool operator==(const Value& a, const Value& b);

 private:
  explicit Value(Kind kind);

  Kind kind_ = Kind::kNull;
  bool boolean_ = false;
  Position position_;
  std::string text_;
  std::vector<Value> items_;
  std::vector<Member> members_;
};

struct Member {
  std::string key;
  Value value;
  Position position{};  // the key's
};

template <typename Pairs>
Value Value::StringMap(const Pairs& pairs) {
  Value map = Map();
  for (const auto& [key, text] : pairs) map.Set(key, String(text));
  return map;
}

}  // namespace inferd::manifest
