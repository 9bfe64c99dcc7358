#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/text/base64.h"
#include "data/json/reader.h"
#include "data/json/text.h"
#include "data/tensor/bytes.h"
#include "data/tensorjson/short_integers.h"
#include "data/tensorjson/short_rows.h"

// The storage of NestedParser.

namespace inferd::tensorjson {

// The growing bytes of a tensor. The text bounds their growth. If it continues after another text, it also grows by up
// to half, since there may be very many texts of one element each.
class GrowingBytes {
 public:
  GrowingBytes(base::Buffer& buffer, size_t& used) : buffer_(buffer), used_(used), before_(used) { Refresh(); }
  ~GrowingBytes() { used_ = size(); }
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;

  size_t size() const { return static_cast<size_t>(at_ - begin_); }
  // Returns room for `bytes` more. `rest_max` is the maximum that will be requested from here on, including these.
  // Throws std::bad_alloc.
  char* Reserve(size_t bytes, size_t rest_max) {
    if (static_cast<size_t>(end_ - at_) < bytes) Grow(bytes, rest_max);
    return at_;
  }
  void Commit(char* end) { at_ = end; }
  char* end() const { return at_; }
  // Returns the bytes that may be committed after end() without growing.
  size_t room() const { return static_cast<size_t>(end_ - at_); }

 private:
  void Grow(size_t bytes, size_t rest_max) {
    constexpr size_t kFirst = 256;
    used_ = size();
    const size_t wanted = std::max({buffer_.size() * 2, used_ + bytes, kFirst});
    const size_t least = used_ + std::max(bytes, before_ / 2);
    base::Buffer larger = base::Buffer::Allocate(std::max(least, std::min(wanted, used_ + rest_max)));
    if (used_ > 0) std::memcpy(larger.data(), buffer_.data(), used_);
    buffer_ = std::move(larger);
    Refresh();
  }
  void Refresh() {
    begin_ = reinterpret_cast<char*>(buffer_.data());
    at_ = begin_ + used_;
    end_ = begin_ + buffer_.size();
  }

  base::Buffer& buffer_;
  size_t& used_;
  const size_t before_;
  char* begin_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

// Elements of fixed size, read by a codec of DataParser.
template <typename Codec>
class NumberElements {
 public:
  using Out = typename Codec::Out;
  explicit NumberElements(Codec codec) : codec_(codec) {}

  // Reads elements from `p` on in a fast batch, as far as there is room already. Returns their number. Sets `p` to the
  // next element, or to white space before it.
  size_t ReadRun(const char*& p, const char* end, GrowingBytes& bytes) const {
    if constexpr (TakesShortIntegers<Codec>) {
      auto* const first = reinterpret_cast<Out*>(bytes.end());
      Out* out = first;
      p = ReadShortIntegers<Codec>(p, end, out, bytes.room() / sizeof(Out));
      bytes.Commit(reinterpret_cast<char*>(out));
      return static_cast<size_t>(out - first);
    }
    return 0;
  }

  // Like ReadRun(), for whole rows of `size` elements from `p` on, within one list. Returns the number of rows.
  size_t ReadRows(const char*& p, const char* end, size_t size, GrowingBytes& bytes) const {
    if constexpr (TakesShortIntegers<Codec>) {
      if (size == 0 || size > kShortRowSizeMax || p == end) return 0;
      auto* const first = reinterpret_cast<Out*>(bytes.end());
      Out* out = first;
      p = ReadShortRows<Codec>(p, end, size, out, bytes.room() / sizeof(Out));
      bytes.Commit(reinterpret_cast<char*>(out));
      return static_cast<size_t>(out - first) / size;
    }
    return 0;
  }

  // Stores the element at `p`. Returns its end, or nullptr if it is refused.
  const char* Read(const char* p, const char* end, GrowingBytes& bytes) const {
    // Each element takes one character and a separator.
    auto* out =
        reinterpret_cast<Out*>(bytes.Reserve(sizeof(Out), (static_cast<size_t>(end - p) / 2 + 1) * sizeof(Out)));
    const char* const behind = codec_.Read(p, end, out);
    if (behind != nullptr) bytes.Commit(reinterpret_cast<char*>(out));
    return behind;
  }

 private:
  const Codec codec_;
};

// Elements of BYTES: strings, and objects whose only member is "b64".
class TextElements {
 public:
  // If `lenient`, it decodes with base::DecodeLenientBase64().
  explicit TextElements(bool lenient = false) : lenient_(lenient) {}
  static size_t ReadRun(const char*& /*p*/, const char* /*end*/, GrowingBytes& /*bytes*/) { return 0; }
  static size_t ReadRows(const char*& /*p*/, const char* /*end*/, size_t /*size*/, GrowingBytes& /*bytes*/) {
    return 0;
  }

  const char* Read(const char* p, const char* end, GrowingBytes& bytes) const {
    if (*p == '{') return ReadBase64(p, end, bytes);
    if (*p != '"') return nullptr;
    const json::ScannedString scanned = json::ScanString(p + 1, end);
    if (scanned.fault != nullptr) return nullptr;
    const std::string_view raw(p + 1, static_cast<size_t>(scanned.end - p - 1));
    char* const content = StartElement(raw.size(), p, end, bytes);
    if (content == nullptr) return nullptr;
    size_t size = raw.size();
    if (scanned.escaped) {
      size = json::DecodeString(raw, content);
    } else if (size > 0) {
      std::memcpy(content, raw.data(), size);
    }
    EndElement(content, size, bytes);
    return scanned.end + 1;
  }

  // The text of the only member, "b64", of the object at `p`, and the object's end. nullopt if it is something else.
  struct Base64Object {
    std::string_view base64;  // lives as long as the reader
    size_t size = 0;          // of the object
  };
  static std::optional<Base64Object> FindBase64(json::Reader& reader) {
    if (!reader.BeginObject().ok()) return std::nullopt;
    const auto key = reader.NextKey();
    if (!key.has_value() || *key != "b64") return std::nullopt;
    const auto base64 = reader.ReadString();
    if (!base64.has_value()) return std::nullopt;
    const auto closed = reader.NextKey();
    if (!closed.has_value() || closed->has_value()) return std::nullopt;
    return Base64Object{*base64, reader.offset()};
  }

 private:
  const char* ReadBase64(const char* p, const char* end, GrowingBytes& bytes) const {
    json::Reader reader({p, static_cast<size_t>(end - p)});
    const std::optional<Base64Object> object = FindBase64(reader);
    if (!object) return nullptr;
    char* const content = StartElement(object->base64.size(), p, end, bytes);
    if (content == nullptr) return nullptr;
    const auto decode = lenient_ ? base::DecodeLenientBase64 : base::DecodeBase64;
    const std::optional<size_t> size = decode(object->base64, content);
    if (!size) return nullptr;
    EndElement(content, *size, bytes);
    return p + object->size;
  }

  // Returns room for a length and `size` bytes, or nullptr if an element may not be that long.
  static char* StartElement(size_t size, const char* p, const char* end, GrowingBytes& bytes) {
    if (size > tensor::kBytesElementMax) return nullptr;
    // An element takes at least three characters: quotes and a separator.
    const auto text = static_cast<size_t>(end - p);
    return bytes.Reserve(tensor::kLengthSize + size, text + (text / 3 + 1) * tensor::kLengthSize) + tensor::kLengthSize;
  }

  static void EndElement(char* content, size_t size, GrowingBytes& bytes) {
    const auto length = static_cast<uint32_t>(size);
    std::memcpy(content - tensor::kLengthSize, &length, tensor::kLengthSize);
    bytes.Commit(content + size);
  }

  const bool lenient_;
};

}  // namespace inferd::tensorjson
