#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "protocols/trtis/infer_header.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

// From what a request says of its tensors to the request that a model gets. Pure.

namespace inferd::trtis {

// How a request is to be answered.
struct AnswerPlan {
  struct Output {
    uint64_t byte_size = 0;  // of one entry of the batch
    std::optional<uint32_t> classes = std::nullopt;
  };
  uint32_t batch_size = 0;
  boost::container::small_vector<Output, 2> outputs;  // in the order asked for; none: the answer has none
};

struct PlannedRequest {
  std::unique_ptr<core::InferRequest> request;  // its inputs have no data yet
  AnswerPlan plan;
};

// What can be said of a header alone. INVALID_ARGUMENT.
base::Status CheckBatchSize(const InferHeader& header);

// Holds the header against the model. INVALID_ARGUMENT: inputs that are missing, unknown or there twice, of another
// size; outputs so too; classes of an output that has none; a batch that is too large. INTERNAL: another size of an
// output. UNIMPLEMENTED: a tensor of the model has variable dimensions, or a type, that this protocol cannot describe.
base::Result<PlannedRequest> PlanRequest(InferHeader header, const core::ModelSignature& signature,
                                         std::string_view model);

// Gives the inputs their data, as views. `body`: one after the other. INVALID_ARGUMENT: there is more; INTERNAL: less.
base::Status SetBody(const base::BufferSlice& body, core::InferRequest& request);
// `raws`: each by itself. Errors so too.
base::Status SetRaws(std::span<const base::BufferSlice> raws, core::InferRequest& request);

}  // namespace inferd::trtis
