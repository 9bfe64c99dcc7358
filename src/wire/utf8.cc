#include "wire/utf8.h"

#include "base/text/utf8.h"

namespace inferd::wire {

std::string ToUtf8(std::string_view text) {
  std::string clean;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const size_t length = base::Utf8Length(p, end);
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      ++p;
    } else {
      clean.append(p, length);
      p += length;
    }
  }
  return clean;
}

}  // namespace inferd::wire
