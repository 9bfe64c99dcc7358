#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protocols/trtis/infer_request.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"

namespace inferd::trtis {

// An InferResponseHeader. Its views point into the response and the model's signature from which it was made.
struct Answer {
  struct Class {
    int32_t index = 0;
    float value = 0;
    std::string_view label = {};  // empty if none
  };
  struct Output {
    std::string_view name;
    bool raw = true;         // its bytes are beside the header
    uint64_t byte_size = 0;  // of one entry of the batch; if raw
    std::vector<Class> classes = {};
    size_t classes_per_entry = 0;
  };
  std::string_view model;
  uint32_t version = 0;
  uint32_t batch_size = 0;
  boost::container::small_vector<Output, 2> outputs;
};

// `response` is a success. INVALID_ARGUMENT if an output differs from the model's signature. INTERNAL if the outputs
// differ from those requested. UNIMPLEMENTED as for VersionNumber().
base::Result<Answer> MakeAnswer(const core::InferResponse& response, const AnswerPlan& plan,
                                const core::ModelSignature& signature, std::string_view version);

// Returns protobuf's text form, with one field per line.
std::string AnswerText(const Answer& answer);
// Returns a serialized message.
std::string AnswerMessage(const Answer& answer);

}  // namespace inferd::trtis
