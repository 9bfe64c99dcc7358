#include "protocols/trtis/text_form.h"

#include <cmath>

namespace inferd::trtis {

void AppendFloatText(std::string& out, float value) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void AppendQuoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n': out += "\\n"; continue;
      case '\r': out += "\\r"; continue;
      case '\t': out += "\\t"; continue;
      case '"': out += "\\\""; continue;
      case '\'': out += "\\'"; continue;
      case '\\': out += "\\\\"; continue;
      default: break;
    }
    if (byte >= 0x20 && byte < 0x7f) {
      out.push_back(c);
      continue;
    }
    out.push_back('\\');
    for (const int shift : {6, 3, 0}) out.push_back(static_cast<char>('0' + (byte >> shift & 7)));
  }
  out.push_back('"');
}

}  // namespace inferd::trtis
