#pragma once

#include <bitset>
#include <cstddef>
#include <optional>

#include "base/status.h"
#include "data/wire/reader.h"
#include "protocols/v2/parameters.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// Reads the entries of one map<string, InferParameter>, one by one, into core::Parameters. The last entry of a key
// counts.
class ParametersReader {
 public:
  explicit ParametersReader(core::Parameters& parameters) : parameters_(parameters) {}

  // INVALID_ARGUMENT if it is malformed, or exceeds v2::kParametersMax.
  base::Status ReadEntry(wire::Reader in);

  // Call when all entries are read. INVALID_ARGUMENT if a parameter has no value.
  base::Status Finish() const;

 private:
  void Set(std::string_view key, std::optional<core::ParameterValue> value);

  core::Parameters& parameters_;
  size_t entries_ = 0;
  std::bitset<v2::kParametersMax> without_value_;  // by index in parameters_
};

}  // namespace inferd::oip_grpc
