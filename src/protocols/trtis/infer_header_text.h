#pragma once

#include <string_view>

#include "base/status.h"
#include "protocols/trtis/infer_header.h"

namespace inferd::trtis {

// Reads an InferRequestHeader in protobuf's text form, as the header NV-InferRequest has it. It accepts what protobuf's
// own parser does, but for code points beyond Unicode. INVALID_ARGUMENT: what is wrong, and at which byte.
base::Result<InferHeader> ReadInferHeaderText(std::string_view text);

}  // namespace inferd::trtis
