#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "data/json/reader.h"
#include "data/json/writer.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_http {

// Reads Predict V2's "Parameters": an object of strings, numbers and booleans, one after the other. INVALID_ARGUMENT,
// naming the key, for anything else, and for more than v2::kParametersMax. `owner` precedes the error: "input 'x'", or
// empty for the request itself.
class ParametersReader {
 public:
  struct Parameter {
    std::string_view name;
    core::ParameterValue value;
  };

  ParametersReader(json::Reader& reader, std::string_view owner) : reader_(reader), owner_(owner) {}

  base::Status Begin();
  // Returns the next parameter. After the last one it leaves the object and returns nullopt.
  base::Result<std::optional<Parameter>> Next();

 private:
  json::Reader& reader_;
  const std::string_view owner_;
  size_t count_ = 0;
};

// Reads all parameters.
base::Result<core::Parameters> ReadParameters(json::Reader& reader, std::string_view owner);

// Reads the value of the key that was read. INVALID_ARGUMENT, naming the key, if it is something else.
base::Result<core::ParameterValue> ReadParameterValue(json::Reader& reader, std::string_view key);

// Writes NaN and the infinities, for which JSON has no numbers, as null.
void WriteParameterValue(json::Writer& writer, const core::ParameterValue& value);
// Writes them as an object.
void WriteParameters(json::Writer& writer, const core::Parameters& parameters);

}  // namespace inferd::oip_http
