#pragma once

#include <string_view>

#include "base/status.h"
#include "protocols/trtis/infer_header.h"

namespace inferd::trtis {

// Reads an InferRequestHeader in protobuf's text form, from the header NV-InferRequest. Accepts what protobuf's own
// parser does, except code points beyond Unicode. INVALID_ARGUMENT, with the error and its byte, if it is malformed.
base::Result<InferHeader> ReadInferHeaderText(std::string_view text);

}  // namespace inferd::trtis
