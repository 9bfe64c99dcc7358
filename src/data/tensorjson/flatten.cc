#include "data/tensorjson/flatten.h"

#include "data/json/reader.h"

namespace inferd::tensorjson {

base::Result<std::string> FlattenLists(std::string_view text) {
  json::Reader reader(text, {.depth_max = 64, .nonfinite_tokens = true});
  std::string flat = "[";
  flat.reserve(text.size());
  INFERD_RETURN_IF_ERROR(reader.BeginArray());
  for (size_t depth = 1; depth > 0;) {
    INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
    if (!more) {
      --depth;
    } else if (reader.Rest().starts_with('[')) {
      INFERD_RETURN_IF_ERROR(reader.BeginArray());
      ++depth;
    } else {
      INFERD_ASSIGN_OR_RETURN(const std::string_view element, reader.ReadRaw());
      if (flat.size() > 1) flat += ',';
      flat += element;
    }
  }
  flat += ']';
  return flat;
}

}  // namespace inferd::tensorjson
