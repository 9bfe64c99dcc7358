#pragma once

#include <string_view>

#include "base/status.h"
#include "core/infer_request.h"
#include "json/reader.h"
#include "json/writer.h"

namespace inferd::oip_http {

// Predict V2, "Parameters": an object of strings, numbers and booleans. Anything else is INVALID_ARGUMENT naming the
// key. `owner` stands before the error: "input 'x'", or empty for the request itself.
base::Result<core::Parameters> ReadParameters(json::Reader& reader, std::string_view owner);

// NaN and the infinities, which JSON has no numbers for, become null.
void WriteParameterValue(json::Writer& writer, const core::ParameterValue& value);
// Writes them as an object.
void WriteParameters(json::Writer& writer, const core::Parameters& parameters);

}  // namespace inferd::oip_http
