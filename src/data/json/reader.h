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
  size_t depth_max = 64;          // open arrays and objects at once
  size_t members_max = 65536;     // members of all open objects together
  bool nonfinite_tokens = false;  // NaN, Infinity and -Infinity count as numbers, in skipped values too
  bool short_infinity = false;    // with them, Inf and -Inf
};

enum class ValueType : uint8_t { kObject, kArray, kString, kNumber, kBool, kNull };

// An integer token (neither fraction nor exponent) as int64_t, or uint64_t if only that holds it; else the nearest
// double.
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
// Between NextKey (or NextElement) and the next one, exactly one value is read or skipped: one Begin..., Read... or
// SkipValue. What is skipped is held to the same rules as what is read. Refused anywhere: malformed UTF-8, control
// characters and lone surrogates in strings, leading zeros, trailing commas and bytes, repeated keys (compared after
// their escapes are decoded; at the latest when their object closes), more depth or members than the options allow.
//
// Every error is INVALID_ARGUMENT and begins "JSON at byte N: ". After one, only offset() may be called. Calls that do
// not fit the reader's place are the caller's fault and asserted. Views live as long as the text and the reader. Not
// thread-safe.
class Reader {
 public:
  explicit Reader(std::string_view text, const ReaderOptions& options = {});
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The type of the next value, which is not consumed.
  base::Result<ValueType> Peek();

  base::Status BeginObject();
  // The next member's key; nullopt behind the last, when the object is closed and left.
  base::Result<std::optional<std::string_view>> NextKey();

  base::Status BeginArray();
  // Whether there is another element; false leaves the closed array.
  base::Result<bool> NextElement();

  base::Result<std::string_view> ReadString();  // decoded
  base::Result<bool> ReadBool();
  base::Status ReadNull();
  base::Result<int64_t> ReadInt64();    // no fraction, no exponent, in range
  base::Result<uint64_t> ReadUint64();  // likewise
  base::Result<double> ReadDouble();    // any number; a finite literal that overflows is refused
  base::Result<Number> ReadNumber();    // likewise

  base::Status SkipValue();
  // Skips a value and returns its text, to be read later by another Reader: `data` may stand before `shape`.
  base::Result<std::string_view> ReadRaw();

  // Refuses anything but white space behind the value.
  base::Status Finish();

  // For a parser of its own: the text from the next value on, white space skipped; and past `bytes` of it, which must
  // be exactly one value, as strictly checked as here.
  std::string_view Rest();
  void Advance(size_t bytes) { p_ += bytes; }

  // Where the reader stands, in bytes from the start of the text.
  size_t offset() const { return static_cast<size_t>(p_ - begin_); }
  // Open arrays and objects.
  size_t depth() const { return frames_.size(); }

  // INVALID_ARGUMENT "JSON at byte N: <message>" for the place where the reader stands.
  base::Status Error(std::string_view message) const { return ErrorAt(p_, message); }

 private:
  struct Frame {
    uint32_t keys_begin;  // this object's first in keys_
    bool object;
    bool first;  // nothing read in it yet
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
  std::pmr::monotonic_buffer_resource decoded_;                // strings that had escapes; never more than the text
};

}  // namespace inferd::json
