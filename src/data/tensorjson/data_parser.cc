#include "data/tensorjson/data_parser.h"

#include "data/json/reader.h"

namespace inferd::tensorjson {

size_t CountElements(std::string_view text) {
  json::Reader reader(text, {.depth_max = tensor::kRankMax, .nonfinite_tokens = true, .short_infinity = true});
  size_t count = 0;
  if (!reader.BeginArray().ok()) return count;
  while (reader.NextElement().value_or(false)) {
    ++count;
    if (!reader.SkipValue().ok()) break;
  }
  return count;
}

}  // namespace inferd::tensorjson
