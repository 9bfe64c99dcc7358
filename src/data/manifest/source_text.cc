#include "data/manifest/source_text.h"

#include <algorithm>
#include <string>

#include "base/text/hex.h"
#include "base/text/utf8.h"

namespace inferd::manifest {

namespace {

bool IsAllowed(char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::optional<Problem> CheckSourceText(std::string_view text, const Limits& limits) {
  if (text.size() > limits.file_bytes_max) {
    return Problem{.message = "the file has more than " + std::to_string(limits.file_bytes_max) + " bytes"};
  }
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const size_t length = base::Utf8Length(p, end);
    if (length == 0 || !IsAllowed(*p)) {
      std::string byte;
      base::AppendHex(byte, static_cast<unsigned char>(*p), 2);
      PositionCounter counter(text);
      return Problem{.position = counter.At(static_cast<size_t>(p - text.data())),
                     .message = (length == 0 ? "not UTF-8: byte 0x" : "a control character: byte 0x") + byte};
    }
    p += length;
  }
  return std::nullopt;
}

Position PositionCounter::At(size_t offset) {
  for (; offset_ < std::min(offset, text_.size()); ++offset_) {
    if (text_[offset_] == '\n') {
      ++position_.line;
      position_.column = 1;
    } else {
      ++position_.column;
    }
  }
  return position_;
}

}  // namespace inferd::manifest
