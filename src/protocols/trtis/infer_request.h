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

// Conversion of a request's tensor descriptions to a request for the model. Pure.

namespace inferd::trtis {

// The form of the response to a request.
struct AnswerPlan {
  struct Output {
    uint64_t byte_size = 0;  // of one entry of the batch
    std::optional<uint32_t> classes = std::nullopt;
  };
  uint32_t batch_size = 0;
  // In the order of the request; empty if the response has no outputs
  boost::container::small_vector<Output, 2> outputs;
};

struct PlannedRequest {
  std::unique_ptr<core::InferRequest> request;  // its inputs have no data yet
  AnswerPlan plan;
};

// Checks what a header alone can show. INVALID_ARGUMENT.
base::Status CheckBatchSize(const InferHeader& header);

// Compares the header with the model. INVALID_ARGUMENT for inputs or outputs that are missing, unknown or repeated, or
// have another size, classes of an output without them, and a batch that is too large. INTERNAL for another size of an
// output. UNIMPLEMENTED if a tensor of the model has variable dimensions, or a type, that this protocol cannot
// describe.
base::Result<PlannedRequest> PlanRequest(InferHeader header, const core::ModelSignature& signature,
                                         std::string_view model);

// Gives the inputs their data, as views. `body` has them one after the other. INVALID_ARGUMENT if it has too many
// bytes, INTERNAL if too few.
base::Status SetBody(const base::BufferSlice& body, core::InferRequest& request);
// Does the same with `raws`, one per input.
base::Status SetRaws(std::span<const base::BufferSlice> raws, core::InferRequest& request);

}  // namespace inferd::trtis
