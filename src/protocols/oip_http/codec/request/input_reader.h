#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "data/json/reader.h"
#include "data/tensorjson/data_fault.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_http {

// Reads one "$request_input" object into `tensor`, which is new. If its bytes stand behind the JSON, returns how many
// they are and leaves tensor.data empty. If its data is refused, `fault` gets the kind of the error. `text` is what
// `reader` reads, so that data that stands before its shape and datatype can be read again once they are known; `index`
// names an input whose name is not known yet. If `any_nesting`, lists in the data mean nothing: only the number of
// elements must be the shape's.
base::Result<std::optional<uint64_t>> ReadInput(json::Reader& reader, std::string_view text, size_t index,
                                                core::InferTensor& tensor, tensorjson::DataFault& fault,
                                                bool any_nesting = false);

}  // namespace inferd::oip_http
