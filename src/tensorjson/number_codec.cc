#include "tensorjson/number_codec.h"

#include <algorithm>

namespace inferd::tensorjson {

std::string NumberFault(const char* p, const char* end, std::string_view what) {
  const std::string expected = "expected " + std::string(what);
  const json::ScannedNumber number = json::ScanNumber(p, end);
  if (number.end == nullptr) {
    const bool malformed = *p == '-' || json::IsDigit(*p);
    return expected + ", got " + (malformed ? "a malformed number" : json::Describe(p, end));
  }
  constexpr size_t kShown = 40;
  std::string token(p, std::min(static_cast<size_t>(number.end - p), kShown));
  if (number.end - p > static_cast<ptrdiff_t>(kShown)) token += "...";
  return expected + ", got " + token;
}

}  // namespace inferd::tensorjson
