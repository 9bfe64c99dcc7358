#include "data/tensorjson/number_codec.h"

namespace inferd::tensorjson {

std::string NumberFault(const char* p, const char* end, std::string_view what) {
  const std::string expected = "expected " + std::string(what);
  const json::ScannedNumber number = json::ScanNumber(p, end);
  if (number.end == nullptr) {
    const bool malformed = *p == '-' || json::IsDigit(*p);
    return expected + ", got " + (malformed ? "a malformed number" : json::Describe(p, end));
  }
  return expected + ", got " + json::Shorten({p, static_cast<size_t>(number.end - p)});
}

}  // namespace inferd::tensorjson
