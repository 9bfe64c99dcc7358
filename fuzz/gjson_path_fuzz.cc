// Fuzzes the conditions of InferenceGraphs. Input: a path, a line break, and a document. An accepted path must be
// evaluated on any document without a failure, and twice with the same result.

#include <cstdint>
#include <string_view>

#include "data/gjson/path.h"
#include "fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const auto path = inferd::gjson::Path::Parse(input.substr(0, line));
  if (!path.has_value() || line == std::string_view::npos) return 0;
  const std::string_view document = input.substr(line + 1);
  const auto first = path->ExistsIn(document);
  const auto again = path->ExistsIn(document);
  inferd::fuzz::Require(first.has_value() == again.has_value(), "a document is JSON, or is not");
  if (first.has_value()) inferd::fuzz::Require(*first == *again, "the same answer");
  return 0;
}
