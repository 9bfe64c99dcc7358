#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <variant>

#include "base/status.h"
#include "data/json/text.h"

namespace inferd::json {

struct ReaderOptions {
  size_t depth_max = 64;          // arrays and objects that are open at once
  size_t members_max = 65536;     // members of all open objects together
  bool nonfinite_tokens = false;  // NaN, Infinity and -Infinity count as numbers, also in skipped values
  bool short_infinity = false;    // together with them, Inf and -Inf
};

enum class ValueType : uint8_t { kObject, kArray, kString, kNumber, kBool, kNull };

// A number. An integer token (without fraction and exponent) is an int64_t, or a uint64_t if it only fits that. Any
// other number is the nearest double.
using Number = std::variant<int64_t, uint64_t, double>;

// A strict pull reader over a JSON text (RFC 8259), without a DOM.
//
//   INFERD_RETURN_IF_ERROR(reader.BeginObject());
//   while (true) {
//     INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader.NextKey());
//     if (!key) break;
//     if (*key == "id") { INFERD_ASSIGN_OR_RETURN(id, reader.ReadString()); }
//     else INFERD_RETURN_IF_ERROR(reader.SkipValue());
//   }
//   INFERD_RETURN_IF_ERROR(reader.Finish());
//
// Between NextKey() (or NextElement()) and the next one, read or skip exactly one value, with one Begin..., Read... or
// SkipValue(). Skipped values are checked as strictly as others. The reader refuses malformed UTF-8, control characters
// and lone surrogates in strings, leading zeros, trailing commas and bytes, repeated keys (compared in decoded form;
// detected when their object closes at the latest), and more depth or members than the options allow.
//
// Every error is INVALID_ARGUMENT and begins "JSON at byte N: ". After one, only offset() and repeated_key() may be
// called. Calls that do
// not fit the reader's place are the caller's fault and asserted. Views live as long as the text and the reader. Not
// thread-safe.
class Reader {
 public:
  explicit Reader(std::string_view text, const ReaderOptions& options = {});
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Returns the type of the next value without consuming it.
  base::Result<ValueType> Peek();

  base::Status BeginObject();
  // Returns the next member's key. After the last member it closes and leaves the object and returns nullopt.
  base::Result<std::optional<std::string_view>> NextKey();

  base::Status BeginArray();
  // Moves to the next element. After the last element it leaves the array and returns false.
  base::Result<bool> NextElement();

  base::Result<std::string_view> ReadString();  // decoded
  base::Result<bool> ReadBool();
  base::Status ReadNull();
  base::Result<int64_t> ReadInt64();    // no fraction, no exponent, in range
  base::Result<uint64_t> ReadUint64();  // likewise
  base::Result<double> ReadDouble();    // any number; a finite literal that overflows is refused
  base::Result<Number> ReadNumber();    // likewise

  base::Status SkipValue();
  // Skips a value and returns its text, to be read later by another Reader: `data` may precede `shape`.
  base::Result<std::string_view> ReadRaw();

  // Refuses anything but white space after the value.
  base::Status Finish();

  // For a caller's own parser: Rest() returns the text from the next value on, without leading white space. Advance()
  // skips `bytes` of it, which must be exactly one value, checked as strictly as here.
  std::string_view Rest();
  void Advance(size_t bytes) { p_ += bytes; }

  // Returns the position in bytes from the start of the text.
  size_t offset() const { return static_cast<size_t>(p_ - begin_); }
  // Returns the number of open arrays and objects.
  size_t depth() const { return frames_.size(); }

  // The key for whose repetition the last call failed, decoded. Null data: it failed for another reason, or not at all.
  std::string_view repeated_key() const { return repeated_key_; }

  // INVALID_ARGUMENT "JSON at byte N: <message>" for the place where the reader stands.
  base::Status Error(std::string_view message) const { return ErrorAt(p_, message); }

 private:
  struct Frame {
    uint32_t keys_begin;  // index in keys_ of this object's first key
    bool object;
    bool first;  // true until something in it was read
  };

  base::Status ErrorAt(const char* where, std::string_view message) const;
  base::Status Expected(std::string_view what) const;
  base::Status Open(char bracket, std::string_view what);
  base::Status CloseObject();
  base::Status RecordKey(std::string_view key);
  base::Result<std::string_view> ScanQuoted(bool decode);
  base::Result<std::string_view> ScanNumberToken(bool* integer);
  base::Result<std::string_view> ScanNonFinite(bool* integer);
  base::Status SkipOne();
  void SkipSpace() { p_ = json::SkipSpace(p_, end_); }

  const char* const begin_;
  const char* p_;
  const char* const end_;
  const ReaderOptions options_;
  boost::container::small_vector<Frame, 16> frames_;
  boost::container::small_vector<std::string_view, 32> keys_;  // of the open objects, outermost first
  std::string_view repeated_key_;
  std::pmr::monotonic_buffer_resource decoded_;  // strings that had escapes; never more than the text
};

}  // namespace inferd::json
