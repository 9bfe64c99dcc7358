#pragma once

#include <bitset>
#include <cstddef>
#include <optional>

#include "base/status.h"
#include "data/wire/reader.h"
#include "protocols/v2/parameters.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// Reads the entries of one map<string, InferParameter>, as they come, into core::Parameters. Of entries with one key
// the last counts.
class ParametersReader {
 public:
  explicit ParametersReader(core::Parameters& parameters) : parameters_(parameters) {}

  // INVALID_ARGUMENT: malformed, or one entry more than v2::kParametersMax.
  base::Status ReadEntry(wire::Reader in);

  // When all entries are read. INVALID_ARGUMENT: a parameter without a value.
  base::Status Finish() const;

 private:
  void Set(std::string_view key, std::optional<core::ParameterValue> value);

  core::Parameters& parameters_;
  size_t entries_ = 0;
  std::bitset<v2::kParametersMax> without_value_;  // by the index in parameters_
};

}  // namespace inferd::oip_grpc
