#include "protocols/tfs/results.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/tensor/half.h"
#include "data/tensor/raw.h"
#include "protocols/tfs/dtype.h"
#include "protocols/tfs/model_spec.h"

namespace inferd::tfs {

namespace {

using base::InvalidArgument;
using tensor::DataType;

// Returns true for [examples] and [examples, 1].
bool IsColumn(const tensor::Shape& shape) { return shape.rank() == 1 || (shape.rank() == 2 && shape[1] == 1); }

// Returns the output of that name, of any type, as in TensorFlow Serving, or else the only one that `fits`. -1 if there
// are none, or several.
template <typename Fits>
int ChooseOutput(const core::ModelSignature& signature, std::string_view name, Fits fits) {
  if (const int named = signature.FindOutput(name); named >= 0) return named;
  int chosen = -1;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const core::TensorSpec& output = signature.outputs[i];
    if (!fits(output)) continue;
    chosen = chosen == -1 ? static_cast<int>(i) : -2;
  }
  return std::max(chosen, -1);
}

int ScoresOutput(const core::ModelSignature& signature) {
  return ChooseOutput(signature, "scores", [](const core::TensorSpec& output) {
    return IsFloat(output.datatype) && (output.shape.rank() == 2 || output.unknown_rank);
  });
}

int ClassesOutput(const core::ModelSignature& signature) {
  return ChooseOutput(signature, "classes", [](const core::TensorSpec& output) {
    return output.datatype == DataType::kBytes && (output.shape.rank() == 2 || output.unknown_rank);
  });
}

int ValueOutput(const core::ModelSignature& signature) {
  return ChooseOutput(signature, "outputs", [](const core::TensorSpec& output) {
    return IsFloat(output.datatype) && (IsColumn(output.shape) || output.unknown_rank);
  });
}

DataType TypeOf(const core::ModelSignature& signature, int output) {
  return signature.outputs[static_cast<size_t>(output)].datatype;
}

std::string TypeName(const core::ModelSignature& signature, int output) {
  return std::string(DtypeName(DtypeOf(TypeOf(signature, output))));
}

// Returns "y: DT_FLOAT [-1,2], ...".
std::string Outputs(const core::ModelSignature& signature) {
  std::string text;
  for (const core::TensorSpec& output : signature.outputs) {
    text += (text.empty() ? "" : ", ") + output.name + ": " + std::string(DtypeName(DtypeOf(output.datatype))) + " " +
            (output.unknown_rank ? "of unknown rank" : output.shape.ToString());
  }
  return text.empty() ? "none" : text;
}

// Returns the response's tensor of an output, or nullptr.
base::Result<const core::InferTensor*> FindOutput(const core::InferResponse& response,
                                                  const core::ModelSignature& signature, int output) {
  if (output < 0) return nullptr;
  for (const core::InferTensor& tensor : response.outputs) {
    if (tensor.name != signature.outputs[static_cast<size_t>(output)].name) continue;
    const base::Status fits = tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes());
    if (!fits.ok()) return std::unexpected(base::Internal("output '" + tensor.name + "': " + fits.message()));
    return &tensor;
  }
  return std::unexpected(
      base::Internal("the model gave no output '" + signature.outputs[static_cast<size_t>(output)].name + "'"));
}

// Checks for [examples, classes]. The first tensor sets `examples`.
base::Status CheckTable(const core::InferTensor& tensor, std::string_view what, std::optional<int64_t>& examples) {
  if (tensor.shape.rank() != 2) {
    return InvalidArgument("Expected Tensor shape: [batch_size num_classes] but got " + tensor.shape.ToString());
  }
  if (!examples) examples = tensor.shape[0];
  if (tensor.shape[0] == *examples) return {};
  return InvalidArgument("Expected " + std::string(what) + " output batch size of " + std::to_string(*examples) +
                         ". Got: " + std::to_string(tensor.shape[0]));
}

// Scores and values are floats in TensorFlow Serving's responses.
float ToFloat(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  if (std::isfinite(value) && std::abs(value) > kMax)
    return std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0f : 1.0f);
  return static_cast<float>(value);
}

}  // namespace

base::Status CheckClassifier(const core::ModelSignature& signature) {
  const int scores = ScoresOutput(signature);
  const int classes = ClassesOutput(signature);
  if (classes >= 0 && TypeOf(signature, classes) != DataType::kBytes) {
    return InvalidArgument("Expected classes Tensor of DT_STRING. Got: " + TypeName(signature, classes));
  }
  if (scores >= 0 && !IsFloat(TypeOf(signature, scores))) {
    return InvalidArgument("Expected scores Tensor of DT_FLOAT. Got: " + TypeName(signature, scores));
  }
  if (scores >= 0 || classes >= 0) return {};
  return InvalidArgument(
      "Expected classification signature outputs to contain at least one of \"classes\" or \"scores\", or else just "
      "one "
      "of strings or of floats, of shape [batch_size num_classes]. Signature was: " +
      Outputs(signature));
}

base::Status CheckRegressor(const core::ModelSignature& signature) {
  const int values = ValueOutput(signature);
  if (values >= 0 && !IsFloat(TypeOf(signature, values))) {
    return InvalidArgument("Expected output Tensor of DT_FLOAT.  Got: " + TypeName(signature, values));
  }
  if (values >= 0) return {};
  return InvalidArgument(
      "No regression outputs found in SignatureDef: expected \"outputs\", or else just one of floats, of shape "
      "[batch_size] or [batch_size, 1]. Signature was: " +
      Outputs(signature));
}

base::Status RefuseSignature(Api api, const core::ModelSignature& signature, base::Status failure) {
  constexpr std::string_view kOfFeatures[] = {"Key: ", "Feature: ", "Expected ", "No regression outputs", "Input is "};
  const std::string_view text = failure.message();
  const bool of_features =
      std::ranges::any_of(kOfFeatures, [text](std::string_view begin) { return text.starts_with(begin); });
  if (!of_features || text.contains(" has element with ")) return failure;
  const size_t outputs = signature.outputs.size();
  if (signature.inputs.size() != 1) return InvalidArgument("Expected one input Tensor.");
  if (api == Api::kRegress && outputs != 1) return InvalidArgument("Expected one output Tensor.");
  if (api == Api::kClassify && outputs != 1 && outputs != 2) {
    return InvalidArgument("Expected one or two output Tensors, found " + std::to_string(outputs));
  }
  return failure;
}

std::optional<int64_t> CountExamples(const core::InferRequest& request) {
  if (request.inputs.empty() || request.inputs.front().shape.rank() == 0) return std::nullopt;
  return request.inputs.front().shape[0];
}

base::Result<Classes> FindClasses(const core::InferResponse& response, const core::ModelSignature& signature,
                                  std::optional<int64_t> examples) {
  Classes found;
  const int scores = ScoresOutput(signature);
  INFERD_ASSIGN_OR_RETURN(found.scores, FindOutput(response, signature, scores));
  INFERD_ASSIGN_OR_RETURN(found.labels, FindOutput(response, signature, ClassesOutput(signature)));
  if (scores >= 0) found.names = signature.outputs[static_cast<size_t>(scores)].labels;
  if (found.labels != nullptr) INFERD_RETURN_IF_ERROR(CheckTable(*found.labels, "classes", examples));
  if (found.scores != nullptr) INFERD_RETURN_IF_ERROR(CheckTable(*found.scores, "scores", examples));
  const core::InferTensor* const shaped = found.scores != nullptr ? found.scores : found.labels;
  if (shaped == nullptr) return std::unexpected(base::Internal("the model has no output of scores or of classes"));
  if (found.labels != nullptr && found.labels->shape[1] != shaped->shape[1]) {
    return std::unexpected(InvalidArgument("Tensors class and score should match in dim_size(1). Got " +
                                           std::to_string(found.labels->shape[1]) + " vs. " +
                                           std::to_string(shaped->shape[1])));
  }
  found.rows = static_cast<size_t>(shaped->shape[0]);
  found.classes = static_cast<size_t>(shaped->shape[1]);
  return found;
}

ClassCursor::ClassCursor(const Classes& classes) : classes_(classes) {
  if (classes.labels != nullptr) label_ = tensor::PackedElements(classes.labels->data.bytes()).begin();
}

ClassCursor::Class ClassCursor::Next() {
  Class next;
  const size_t name = next_ % classes_.classes;
  if (label_) {
    next.label = **label_;
    ++*label_;
  } else if (name < classes_.names.size()) {
    next.label = classes_.names[name];
  }
  if (classes_.scores != nullptr) next.score = ValueAt(*classes_.scores, next_);
  ++next_;
  return next;
}

base::Result<const core::InferTensor*> FindValues(const core::InferResponse& response,
                                                  const core::ModelSignature& signature,
                                                  std::optional<int64_t> examples) {
  INFERD_ASSIGN_OR_RETURN(const core::InferTensor* const values,
                          FindOutput(response, signature, ValueOutput(signature)));
  if (values == nullptr) return std::unexpected(base::Internal("the model has no output of values"));
  if (!IsColumn(values->shape)) {
    return std::unexpected(
        InvalidArgument("Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got " +
                        values->shape.ToString()));
  }
  if (examples.value_or(values->shape[0]) != values->shape[0]) {
    return std::unexpected(InvalidArgument("Input batch size did not match output batch size: " +
                                           std::to_string(*examples) + " vs. " + std::to_string(values->shape[0])));
  }
  return values;
}

float ValueAt(const core::InferTensor& tensor, size_t i) {
  const auto load = [&]<typename T>(T) {
    T value;
    std::memcpy(&value, tensor.data.data() + i * sizeof value, sizeof value);
    return value;
  };
  switch (tensor.datatype) {
    case DataType::kFp64: return ToFloat(load(double{}));
    case DataType::kFp16: return tensor::HalfToFloat(load(uint16_t{}));
    case DataType::kBf16: return tensor::Bf16ToFloat(load(uint16_t{}));
    default: return load(float{});
  }
}

}  // namespace inferd::tfs
