#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "data/json/text.h"

namespace inferd::json {

// The key of a member. For a literal, the need of escapes is determined at compile time.
class KeyText {
 public:
  template <size_t kSize>
  consteval KeyText(const char (&literal)[kSize])  // NOLINT(google-explicit-constructor)
      : text_(literal, kSize - 1), plain_(std::ranges::all_of(text_, IsPlain)) {}
  template <std::convertible_to<std::string_view> Text>
  constexpr KeyText(const Text& text) : text_(text) {}  // NOLINT(google-explicit-constructor)

  constexpr std::string_view text() const { return text_; }
  // True if the key is known to need no escapes.
  constexpr bool plain() const { return plain_; }

 private:
  std::string_view text_;
  bool plain_ = false;
};

// Writes JSON text to buffers that are handed over without a copy. It adds commas and colons. The caller must match
// Begin and End calls, and write a Key before each member. It writes no white space. Not thread-safe.
//
//   Writer writer;
//   writer.BeginObject();
//   writer.Key("shape");
//   writer.BeginArray();
//   ...
class Writer {
 public:
  using Chunks = boost::container::small_vector<base::BufferSlice, 2>;

  // `size_hint` is the expected size; a text within it is one chunk. Nothing is allocated before the first write.
  explicit Writer(size_t size_hint = 1024) : chunk_size_(size_hint) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(KeyText key);

  // Writes a string with U+FFFD for malformed UTF-8. For names and error texts, which may quote a client's bytes.
  void String(std::string_view value);
  // Writes nothing and returns false if `value` is not UTF-8.
  [[nodiscard]] bool StringIfUtf8(std::string_view value);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }
  void Int(int64_t value);
  void Uint(uint64_t value);
  // Writes the shortest text that reads back as the same double. Writes null for non-finite values, which JSON lacks.
  void Double(double value);
  // Writes a key and its value: a bool, a number or a text.
  template <typename T>
  void Member(KeyText key, const T& value) {
    Key(key);
    if constexpr (std::same_as<T, bool>) {
      Bool(value);
    } else if constexpr (std::signed_integral<T>) {
      Int(value);
    } else if constexpr (std::unsigned_integral<T>) {
      Uint(value);
    } else if constexpr (std::floating_point<T>) {
      Double(value);
    } else {
      String(value);
    }
  }
  // Writes one complete JSON value unchanged.
  void Raw(std::string_view json);

  // For a caller's own writer, for one value at a time or a list of elements: StartValue() writes the separator,
  // Reserve() makes room for `bytes` contiguous bytes, and Commit() reports how many of them were used.
  void StartValue() {
    if (separate_) Append(',');
    separate_ = true;
  }
  char* Reserve(size_t bytes) {
    if (static_cast<size_t>(end_ - p_) < bytes) Grow(bytes);
    return p_;
  }
  void Commit(size_t bytes) { p_ += bytes; }
  // Returns the room left in the current chunk.
  size_t room() const { return static_cast<size_t>(end_ - p_); }
  // Appends raw bytes: no separator, no escaping.
  void Append(char c) {
    *Reserve(1) = c;
    Commit(1);
  }
  void Append(std::string_view text);

  // Returns the number of bytes written so far.
  size_t size() const { return closed_size_ + static_cast<size_t>(p_ - begin_); }

  // Hands over the text, in order, and resets the writer.
  Chunks Take();
  // Returns a copy of the text as one string.
  std::string TakeString();

 private:
  void Open(char bracket) {
    StartValue();
    Append(bracket);
    separate_ = false;
  }
  void Close(char bracket) {
    Append(bracket);
    separate_ = true;
  }
  void Quote(std::string_view utf8);
  // Quotes text of which no byte needs an escape.
  void QuotePlain(std::string_view text);
  void Grow(size_t bytes);
  void Seal();

  char* begin_ = nullptr;
  char* p_ = nullptr;
  char* end_ = nullptr;
  bool separate_ = false;  // true if a comma is due before the next value or key
  size_t chunk_size_;
  size_t closed_size_ = 0;
  base::Buffer chunk_;
  Chunks closed_;
};

}  // namespace inferd::json
