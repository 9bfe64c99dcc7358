#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "data/json/reader.h"
#include "data/json/writer.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_http {

// Predict V2, "Parameters": an object of strings, numbers and booleans, one after another. Anything else is
// INVALID_ARGUMENT naming the key, and so are more than v2::kParametersMax. `owner` stands before the error: "input
// 'x'", or empty for the request itself.
class ParametersReader {
 public:
  struct Parameter {
    std::string_view name;
    core::ParameterValue value;
  };

  ParametersReader(json::Reader& reader, std::string_view owner) : reader_(reader), owner_(owner) {}

  base::Status Begin();
  // nullopt behind the last, when the object is left.
  base::Result<std::optional<Parameter>> Next();

 private:
  json::Reader& reader_;
  const std::string_view owner_;
  size_t count_ = 0;
};

// All of them.
base::Result<core::Parameters> ReadParameters(json::Reader& reader, std::string_view owner);

// One value of them, whose key was read: INVALID_ARGUMENT naming that where it is something else.
base::Result<core::ParameterValue> ReadParameterValue(json::Reader& reader, std::string_view key);

// NaN and the infinities, which JSON has no numbers for, become null.
void WriteParameterValue(json::Writer& writer, const core::ParameterValue& value);
// Writes them as an object.
void WriteParameters(json::Writer& writer, const core::Parameters& parameters);

}  // namespace inferd::oip_http
