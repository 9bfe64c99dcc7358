#include "protocols/oip_http/codec/request/request_memo.h"

#include <functional>
#include <utility>

namespace inferd::oip_http {

base::Result<RequestJson> RequestMemo::Read(std::string_view text, size_t depth_max, bool triton_exact) {
  if (text.size() > kTextMax) return ReadRequestJson(text, depth_max, triton_exact);
  const size_t hash = std::hash<std::string_view>()(text);
  Place& place = places_[hash % kPlaces];
  if (place.json.request != nullptr && place.depth_max == depth_max && place.text == text) {
    ++hits_;
    return place.json.Copy();
  }
  INFERD_ASSIGN_OR_RETURN(RequestJson json, ReadRequestJson(text, depth_max, triton_exact));
  if (std::exchange(place.candidate, hash) == hash && json.OnlyDescribes()) {
    place.text = text;
    place.depth_max = depth_max;
    place.json = json.Copy();
  }
  return json;
}

}  // namespace inferd::oip_http
