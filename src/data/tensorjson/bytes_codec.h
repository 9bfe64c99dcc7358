#pragma once

#include <cstring>
#include <string>

#include "base/text/base64.h"
#include "data/json/text.h"
#include "data/tensor/bytes.h"
#include "data/tensorjson/data_fault.h"

namespace inferd::tensorjson {

// DataParser's codec for BYTES: converts JSON strings to packed elements, unchanged or decoded from base64.
class BytesCodec {
 public:
  using Out = char;

  explicit BytesCodec(bool base64) : base64_(base64) {}

  // A string of n bytes of text, including quotes, takes at most n + 2.
  const char* Read(const char* p, const char* end, char*& out) const {
    if (*p != '"') return nullptr;
    const json::ScannedString scanned = json::ScanString(p + 1, end);
    if (scanned.fault != nullptr) return nullptr;
    const std::string_view raw(p + 1, static_cast<size_t>(scanned.end - p - 1));
    char* const content = out + tensor::kLengthSize;
    size_t size = raw.size();
    if (scanned.escaped) {
      size = json::DecodeString(raw, content);
    } else {
      std::memcpy(content, raw.data(), size);
    }
    if (base64_) {
      const std::optional<size_t> decoded = base::DecodeBase64({content, size}, content);
      if (!decoded) return nullptr;
      size = *decoded;
    }
    if (size > tensor::kBytesElementMax) return nullptr;
    const auto length = static_cast<uint32_t>(size);
    std::memcpy(out, &length, tensor::kLengthSize);
    out = content + size;
    return scanned.end + 1;
  }

  static DataFault FaultKind(const char* p) { return *p == '"' ? DataFault::kOther : DataFault::kNotAString; }

  std::string Fault(const char* p, const char* end) const {
    if (*p != '"') return "expected a string, got " + json::Describe(p, end);
    const json::ScannedString scanned = json::ScanString(p + 1, end);
    if (scanned.fault != nullptr) return scanned.fault;
    return base64_ ? "expected base64 (content_type), got other characters or wrong padding" : "the string is too long";
  }

 private:
  const bool base64_;
};

}  // namespace inferd::tensorjson
