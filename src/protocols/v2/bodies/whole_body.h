#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

// Support for models that take a request's whole body and return a response's: they read and write JSON of KServe's
// protocols themselves, like the class Model of KServe's Python package. Front-ends with JSON over HTTP pass bodies on
// unchanged.

namespace inferd::v2 {

// The names of the tensors, one element of BYTES each.
inline constexpr std::string_view kBodyInput = "kserve_payload";
inline constexpr std::string_view kBodyOutput = "kserve_response";

// The tensors that carry a body and its response.
struct BodyTensors {
  std::string_view input = kBodyInput;
  std::string_view output = kBodyOutput;
};
// For all bodies of V1's predict in the place of KServe, with models whose answers there are not the values of an
// output (PMML).
inline constexpr BodyTensors kPredictTensors{.input = "v1_payload", .output = "v1_response"};
// For bodies of V1's predict, KServe's and TensorFlow Serving's, that do not fit the model's inputs, with models that
// read only these forms of a table (models of trees).
inline constexpr BodyTensors kTableTensors{.input = "v1_table", .output = "v1_table_response"};
// For all bodies of MLflow's /invocations, with models that MLflow saved.
inline constexpr BodyTensors kInvocationTensors{.input = "mlflow_payload", .output = "mlflow_response"};

// Facts about a request that the model gets besides its body, as parameters.
struct BodyOrigin {
  std::string_view protocol;      // "v1", "v2", "tfs", "mlflow": kserve_protocol
  std::string_view verb;          // "predict", "explain"; for MLflow the media type: kserve_verb
  std::string_view headers = {};  // a JSON object with lower-case names: kserve_headers; empty for none
};

// Returns true if a model takes whole bodies.
bool TakesWholeBody(const core::ModelSignature& signature);
// Returns true if a model only takes whole bodies: it names no tensors.
bool TakesOnlyWholeBody(const core::ModelSignature& signature);
// Returns true if a model with tensors also takes bodies: as alternative tensors of core::PinnedModel::accepted().
bool TakesBodyInstead(const core::ModelSignature& accepted, BodyTensors tensors = {});

// Returns the tensors for a body of V1's predict that does not fit the model's inputs. Nothing if the model takes none.
std::optional<BodyTensors> TensorsForUnfitting(const core::ModelSignature& accepted);

// Returns the headers of a request, for BodyOrigin. Bytes that are not UTF-8 become U+FFFD.
std::string HeadersJson(std::span<const std::pair<std::string_view, std::string_view>> headers);

// Returns the request for a body, without the model's name. INVALID_ARGUMENT if the body is too large for a BYTES
// element.
base::Result<std::unique_ptr<core::InferRequest>> WholeBodyRequest(std::string_view body, const BodyOrigin& origin,
                                                                   BodyTensors tensors = {});

// Returns the response's body, a view into the response. INTERNAL if it has none.
base::Result<base::BufferSlice> WholeBodyOf(const core::InferResponse& response, BodyTensors tensors = {});

}  // namespace inferd::v2
