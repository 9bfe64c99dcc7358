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

// How NestedParser stores what it reads.

namespace inferd::tensorjson {

// The bytes of a tensor that grows, no further than the text can fill it; where it goes on with what another text has
// begun, by as much as half of that, too: there may be very many texts, each of one element.
class GrowingBytes {
 public:
  GrowingBytes(base::Buffer& buffer, size_t& used) : buffer_(buffer), used_(used), before_(used) { Refresh(); }
  ~GrowingBytes() { used_ = size(); }
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;

  size_t size() const { return static_cast<size_t>(at_ - begin_); }
  // Room for `bytes` more. `rest_max`: the most that will be asked for from here on, these included. Throws
  // std::bad_alloc.
  char* Reserve(size_t bytes, size_t rest_max) {
    if (static_cast<size_t>(end_ - at_) < bytes) Grow(bytes, rest_max);
    return at_;
  }
  void Commit(char* end) { at_ = end; }
  char* end() const { return at_; }
  // What may be committed behind end() as it is.
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

// Elements of fixed size, as a codec of DataParser reads them.
template <typename Codec>
class NumberElements {
 public:
  using Out = typename Codec::Out;
  explicit NumberElements(Codec codec) : codec_(codec) {}

  // Stores elements, from the one at `p` on, that are read more quickly together, as far as there is room already. How
  // many; `p` is where the next one stands then, white space aside.
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

  // As ReadRun: whole rows of `size` elements, from the one at `p` on, which stand in one list. How many rows.
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

  // Stores the element at `p`; its end, or nullptr if it is refused.
  const char* Read(const char* p, const char* end, GrowingBytes& bytes) const {
    // Each element takes a character and one more to separate it.
    auto* out =
        reinterpret_cast<Out*>(bytes.Reserve(sizeof(Out), (static_cast<size_t>(end - p) / 2 + 1) * sizeof(Out)));
    const char* const behind = codec_.Read(p, end, out);
    if (behind != nullptr) bytes.Commit(reinterpret_cast<char*>(out));
    return behind;
  }

 private:
  const Codec codec_;
};

// BYTES: strings, and objects with one member "b64".
class TextElements {
 public:
  // `lenient`: base::DecodeLenientBase64 decodes.
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

  // The text in the one member "b64" of the object at `p`, and where the object ends; nullopt if it is something else.
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

  // Room for a length and `size` bytes; nullptr: an element may not be that long.
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
