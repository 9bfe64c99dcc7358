#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

// Models that take a request's whole body, and give an answer's: such that read and write JSON of KServe's protocols
// themselves, as the class Model of KServe's Python package does. Front-ends with JSON over HTTP hand bodies over as
// they came.

namespace inferd::v2 {

// One element of BYTES each.
inline constexpr std::string_view kBodyInput = "kserve_payload";
inline constexpr std::string_view kBodyOutput = "kserve_response";

// The tensors that carry a body and its answer.
struct BodyTensors {
  std::string_view input = kBodyInput;
  std::string_view output = kBodyOutput;
};
// For all bodies of MLflow's /invocations, of models that MLflow saved.
inline constexpr BodyTensors kInvocationTensors{.input = "mlflow_payload", .output = "mlflow_response"};

// What the model is told of a request besides its body, as parameters.
struct BodyOrigin {
  std::string_view protocol;      // "v1", "v2", "tfs", "mlflow": kserve_protocol
  std::string_view verb;          // "predict", "explain"; of MLflow's, the media type: kserve_verb
  std::string_view headers = {};  // a JSON object, their names in lower case: kserve_headers; empty: none
};

// Whether a model takes bodies.
bool TakesWholeBody(const core::ModelSignature& signature);
// Whether it takes nothing else: no tensors that it names.
bool TakesOnlyWholeBody(const core::ModelSignature& signature);
// Returns true if a model of tensors takes bodies, too: as alternative tensors of core::PinnedModel::accepted().
bool TakesBodyInstead(const core::ModelSignature& accepted, BodyTensors tensors = {});

// The headers of a request, for BodyOrigin. What is not UTF-8 in them becomes U+FFFD.
std::string HeadersJson(std::span<const std::pair<std::string_view, std::string_view>> headers);

// The request for one, but for the model's name. INVALID_ARGUMENT: the body is too large for a BYTES element.
base::Result<std::unique_ptr<core::InferRequest>> WholeBodyRequest(std::string_view body, const BodyOrigin& origin,
                                                                   BodyTensors tensors = {});

// The answer's body, a view into the response. INTERNAL: it has none.
base::Result<base::BufferSlice> WholeBodyOf(const core::InferResponse& response, BodyTensors tensors = {});

}  // namespace inferd::v2
