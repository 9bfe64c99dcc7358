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

// Predict V2's "Inference Request JSON Object", read. `request` has no data for inputs that stand behind the JSON.
struct RequestJson {
  std::unique_ptr<core::InferRequest> request;
  // By input, how many bytes it has there; shorter than the inputs where the last ones have none.
  boost::container::small_vector<std::optional<uint64_t>, 4> binary_sizes;
  v2::RequestSettings settings;

  // What a second reading of the same text would give, without the reading.
  RequestJson Copy() const;
  // Whether that is worth it: no tensor's numbers stand in the text.
  bool OnlyDescribes() const;
};

// Members may come in any order; unknown ones are skipped, as strictly as the others are read. NaN, Infinity and
// -Infinity are read as numbers. INVALID_ARGUMENT names the member or the tensor, expected and got. Pure; runs on any
// thread.
base::Result<RequestJson> ReadRequestJson(std::string_view text, size_t depth_max);

}  // namespace inferd::oip_http
