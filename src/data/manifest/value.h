#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::manifest {

// A value's position in its file, counted from 1. Line 0 means that a program made the value.
struct Position {
  int line = 0;
  int column = 0;
};

enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kList, kMap };

// Returns "null", "a boolean", "a number", "a string", "a list" or "a map", for messages.
std::string_view KindName(Kind kind);

struct Member;

// One value of a Kubernetes object, with everything in it: a tree as in JSON. Maps keep the order of their members,
// whose keys are unique. Numbers keep their original text, which is a JSON number.
//
// A value type. Const calls are thread-safe. Calls for another kind than the value's are the caller's bug and asserted,
// except Find() and text(), which then find nothing.
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
  // Makes a map of strings, in the given order.
  template <typename Pairs>
  static Value StringMap(const Pairs& pairs);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }

  bool boolean() const { return boolean_; }
  // Returns a string's content or a number's text; empty for others.
  const std::string& text() const { return text_; }

  std::vector<Value>& items() { return items_; }
  const std::vector<Value>& items() const { return items_; }

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  // Returns the member's value. Null if there is none, or if this is not a map.
  const Value* Find(std::string_view key) const;
  Value* Find(std::string_view key);
  // Returns the member's value. Appends the member, as null, if there is none.
  Value& At(std::string_view key);
  // Does the same with a value of kind map: a null becomes a map.
  Value& MapAt(std::string_view key);
  void Set(std::string_view key, Value value);
  // Removes the member. Returns false if there is no such key.
  bool Remove(std::string_view key);

  Position position() const { return position_; }
  void set_position(Position position) { position_ = position; }

  // Compares the content: maps in any order, numbers by their text; positions are ignored.
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
  Position position{};  // the key's position
};

template <typename Pairs>
Value Value::StringMap(const Pairs& pairs) {
  Value map = Map();
  for (const auto& [key, text] : pairs) map.Set(key, String(text));
  return map;
}

}  // namespace inferd::manifest
