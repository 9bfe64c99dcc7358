#include "base/text/printable.h"

#include "base/text/hex.h"
#include "base/text/utf8.h"

namespace inferd::base {

namespace {

constexpr size_t kNameBytesMax = 256;

bool IsControl(const char* p, size_t length) {
  const auto first = static_cast<unsigned char>(p[0]);
  if (length == 1) return first < 0x20 || first == 0x7f;
  return length == 2 && first == 0xc2 && static_cast<unsigned char>(p[1]) < 0xa0;
}

void AppendEscaped(char c, std::string& out) {
  switch (c) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\x";
  AppendHex(out, static_cast<unsigned char>(c), 2);
}

}  // namespace

bool IsPrintable(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const size_t length = Utf8Length(p, end);
    if (length == 0 || IsControl(p, length)) return false;
    p += length;
  }
  return true;
}

std::string Printable(std::string_view text, size_t bytes_max) {
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const size_t length = Utf8Length(p, end);
    const size_t taken = length == 0 ? 1 : length;
    if (static_cast<size_t>(p - text.data()) + taken > bytes_max) {
      return out + "... (" + std::to_string(text.size()) + " bytes)";
    }
    if (length == 0 || IsControl(p, length)) {
      for (size_t i = 0; i < taken; ++i) AppendEscaped(p[i], out);
    } else {
      out.append(p, length);
    }
    p += taken;
  }
  return out;
}

std::string QuotedName(std::string_view name) { return "'" + Printable(name, kNameBytesMax) + "'"; }

}  // namespace inferd::base
