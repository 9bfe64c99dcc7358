#include "frontends/tfs_http/result_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "frontends/tfs_http/model_spec.h"
#include "json/writer.h"
#include "tensor/bytes.h"
#include "tensor/half.h"
#include "tensor/raw.h"
#include "tensorjson/nested_writer.h"

namespace inferd::tfs_http {

namespace {

using base::InvalidArgument;
using tensor::DataType;

// The output of that name if `fits`, or else the only one that does; -1: none, or several.
template <typename Fits>
int ChooseOutput(const core::ModelSignature& signature, std::string_view name, Fits fits) {
  int chosen = -1;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const core::TensorSpec& output = signature.outputs[i];
    if (!fits(output)) continue;
    if (output.name == name) return static_cast<int>(i);
    chosen = chosen == -1 ? static_cast<int>(i) : -2;
  }
  return std::max(chosen, -1);
}

int ScoresOutput(const core::ModelSignature& signature) {
  return ChooseOutput(signature, "scores", [](const core::TensorSpec& output) {
    return IsFloat(output.datatype) && output.shape.rank() == 2;
  });
}

int ClassesOutput(const core::ModelSignature& signature) {
  return ChooseOutput(signature, "classes", [](const core::TensorSpec& output) {
    return output.datatype == DataType::kBytes && output.shape.rank() == 2;
  });
}

int ValueOutput(const core::ModelSignature& signature) {
  return ChooseOutput(signature, "outputs", [](const core::TensorSpec& output) {
    const size_t rank = output.shape.rank();
    return IsFloat(output.datatype) && (rank == 1 || (rank == 2 && output.shape[1] == 1));
  });
}

// What a response has of an output; nullptr: nothing.
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

// Scores and values are floats in TensorFlow Serving's answers.
float ToFloat(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  if (std::isfinite(value) && std::abs(value) > kMax)
    return std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0f : 1.0f);
  return static_cast<float>(value);
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

// `list` under the key, or both keys, that are asked for.
net::HttpResponse ResultsResponse(std::string_view list, ResultKey key) {
  json::Writer writer(list.size() * 2 + 64);
  writer.BeginObject();
  if (key != ResultKey::kResults) {
    writer.Key("result");
    writer.Raw(list);
  }
  if (key != ResultKey::kResult) {
    writer.Key("results");
    writer.Raw(list);
  }
  writer.EndObject();
  net::HttpResponse http;
  http.content_type = "application/json";
  http.body = writer.Take();
  return http;
}

// The outputs of a classification.
struct Classes {
  const core::InferTensor* labels = nullptr;  // each may be absent
  const core::InferTensor* scores = nullptr;
  std::span<const std::string> names;  // of the classes, where there are no labels
  size_t rows = 0;
  size_t classes = 0;
};

base::Result<Classes> FindClasses(const core::InferResponse& response, const core::ModelSignature& signature) {
  Classes found;
  const int scores = ScoresOutput(signature);
  INFERD_ASSIGN_OR_RETURN(found.scores, FindOutput(response, signature, scores));
  INFERD_ASSIGN_OR_RETURN(found.labels, FindOutput(response, signature, ClassesOutput(signature)));
  if (scores >= 0) found.names = signature.outputs[static_cast<size_t>(scores)].labels;
  const core::InferTensor* const shaped = found.scores != nullptr ? found.scores : found.labels;
  if (shaped == nullptr || shaped->shape.rank() != 2) {
    return std::unexpected(base::Internal("the model's outputs are not of shape [examples, classes]"));
  }
  if (found.labels != nullptr && found.labels->shape != shaped->shape) {
    return std::unexpected(InvalidArgument("output '" + found.labels->name + "' is of shape " +
                                           found.labels->shape.ToString() + ", and '" + shaped->name + "' of " +
                                           shaped->shape.ToString()));
  }
  found.rows = static_cast<size_t>(shaped->shape[0]);
  found.classes = static_cast<size_t>(shaped->shape[1]);
  return found;
}

}  // namespace

base::Status CheckClassifier(const core::ModelSignature& signature) {
  if (ScoresOutput(signature) >= 0 || ClassesOutput(signature) >= 0) return {};
  return InvalidArgument(
      "the model is no classifier: expected an output of floats, 'scores' or the only one, or of strings, 'classes' or "
      "the only one, of shape [examples, classes]");
}

base::Status CheckRegressor(const core::ModelSignature& signature) {
  if (ValueOutput(signature) >= 0) return {};
  return InvalidArgument(
      "the model is no regressor: expected an output of floats, 'outputs' or the only one, of shape [examples] or "
      "[examples, 1]");
}

base::Result<net::HttpResponse> WriteClassification(const core::InferResponse& response,
                                                    const core::ModelSignature& signature, ResultKey key) {
  INFERD_ASSIGN_OR_RETURN(const Classes found, FindClasses(response, signature));
  json::Writer writer(found.rows * found.classes * 32 + 64);
  std::optional<tensor::PackedElements::Iterator> label;
  if (found.labels != nullptr) label = tensor::PackedElements(found.labels->data.bytes()).begin();
  writer.BeginArray();
  for (size_t row = 0; row < found.rows; ++row) {
    writer.BeginArray();
    for (size_t i = 0; i < found.classes; ++i) {
      writer.BeginArray();
      if (label) {
        writer.String(**label);
        ++*label;
      } else {
        writer.String(i < found.names.size() ? std::string_view(found.names[i]) : std::string_view());
      }
      tensorjson::WriteNumber(writer, found.scores == nullptr ? 0 : ValueAt(*found.scores, row * found.classes + i));
      writer.EndArray();
    }
    writer.EndArray();
  }
  writer.EndArray();
  return ResultsResponse(writer.TakeString(), key);
}

base::Result<net::HttpResponse> WriteRegression(const core::InferResponse& response,
                                                const core::ModelSignature& signature, ResultKey key) {
  INFERD_ASSIGN_OR_RETURN(const core::InferTensor* const values,
                          FindOutput(response, signature, ValueOutput(signature)));
  if (values == nullptr) return std::unexpected(base::Internal("the model has no output of values"));
  const auto count = static_cast<size_t>(values->shape.ElementCount().value_or(0));
  json::Writer writer(count * 16 + 64);
  writer.BeginArray();
  for (size_t i = 0; i < count; ++i) tensorjson::WriteNumber(writer, ValueAt(*values, i));
  writer.EndArray();
  return ResultsResponse(writer.TakeString(), key);
}

}  // namespace inferd::tfs_http
