#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "protocols/v2/parameters.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_http {

// A parsed "Inference Request JSON Object" of Predict V2. `request` has no data for inputs that follow the JSON.
struct RequestJson {
  std::unique_ptr<core::InferRequest> request;
  // For each input, its number of bytes after the JSON; may be shorter than the inputs if the last ones have none.
  boost::container::small_vector<std::optional<uint64_t>, 4> binary_sizes;
  v2::RequestSettings settings;

  // Returns the same result as parsing the text again, at a lower cost.
  RequestJson Copy() const;
  // True if the text contains no tensors' numbers, so that caching it is worthwhile.
  bool OnlyDescribes() const;
};

// Members may come in any order; unknown ones are skipped, as strictly as the others are read. NaN, Infinity and
// -Infinity are read as numbers. INVALID_ARGUMENT names the member or the tensor, expected and got. Pure; runs on any
// thread. `triton_exact`: data may be nested in any way that has the shape's number of elements; data of another size
// is refused with Triton's text alone, and data of another type with Triton's text first.
base::Result<RequestJson> ReadRequestJson(std::string_view text, size_t depth_max, bool triton_exact = false);

}  // namespace inferd::oip_http
