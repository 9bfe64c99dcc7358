#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::agent {

// A request of V1's :predict, split into rows. Its views refer to the parsed text.
struct PredictBody {
  std::string_view instances;  // the text between the list's brackets
  size_t count = 0;            // number of instances; at least 1
  std::string rest;            // the other members, as text: "\"signature_name\":\"x\""; may be empty
};

// Parses a body. INVALID_ARGUMENT, in KServe's words, if the text is no JSON, or has no instances. NaN and infinities
// are accepted.
base::Result<PredictBody> ParsePredictBody(std::string_view json);

// Splits the predictions of a response by the number of instances of each request. The results are comma-separated
// values, as views into `json`. INVALID_ARGUMENT, in KServe's words, if the text is no response, or has another number
// of predictions.
base::Result<std::vector<std::string_view>> SplitPredictions(std::string_view json, std::span<const size_t> counts);

}  // namespace inferd::agent
