#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::agent {

// A request of V1's :predict, by its rows. Views into the text that it was read from.
struct PredictBody {
  std::string_view instances;  // what is between the list's brackets
  size_t count = 0;            // how many there are; at least 1
  std::string rest;            // the other members, as text: "\"signature_name\":\"x\""; empty: none
};

// INVALID_ARGUMENT, in KServe's words: the text is no JSON, or has no instances. NaN and infinities pass.
base::Result<PredictBody> ParsePredictBody(std::string_view json);

// The predictions of an answer to several requests, given to each by how many instances it had: texts of values, with
// commas between, which are views into `json`. INVALID_ARGUMENT, in KServe's words: it is no answer, or has not as
// many.
base::Result<std::vector<std::string_view>> SplitPredictions(std::string_view json, std::span<const size_t> counts);

}  // namespace inferd::agent
