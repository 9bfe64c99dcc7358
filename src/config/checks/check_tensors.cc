#include <algorithm>
#include <set>

#include "config/checks/checks.h"

// Inputs and outputs, each separately.

namespace inferd::config {
namespace {

using Dims = google::protobuf::RepeatedField<int64_t>;

void CheckDims(CheckContext& c, const Place& place, std::string_view kind, const std::string& name, const Dims& dims) {
  if (static_cast<size_t>(dims.size()) > tensor::kRankMax) {
    c.problems.push_back(place.At("dims", "model " + std::string(kind) + " has " + std::to_string(dims.size()) +
                                              " dimensions, at most " + std::to_string(tensor::kRankMax) +
                                              " are allowed for " + c.model));
  }
  for (int i = 0; i < dims.size(); ++i) {
    if (dims.Get(i) >= 1 || dims.Get(i) == -1) continue;
    c.problems.push_back(place.At("dims", "model " + std::string(kind) + (name.empty() ? "" : " '" + name + "'") +
                                              " dimension must be integer >= 1, or -1 to indicate a variable-size "
                                              "dimension for " +
                                              c.model + ", got " + std::to_string(dims.Get(i))));
    return;
  }
}

// Returns the products of the dimensions between those of any size: [2,4,-1,6] and [8,-1,6] have the same.
std::vector<std::optional<int64_t>> FixedParts(const Dims& dims) {
  std::vector<std::optional<int64_t>> parts;
  tensor::Shape part;
  for (const int64_t dim : dims) {
    if (dim != -1) {
      part.Append(dim);
      continue;
    }
    parts.push_back(part.ElementCount());
    part.clear();
  }
  parts.push_back(part.ElementCount());
  return parts;
}

// ModelTensorReshape: the same elements in other dimensions. `subject` is "model input 'x' ".
template <typename Tensor>
void CheckReshape(CheckContext& c, const Place& place, const std::string& subject, const Tensor& tensor) {
  if (!tensor.has_reshape()) return;
  const auto report = [&](const std::string& message) {
    c.problems.push_back(place.At("reshape", subject + message + " for " + c.model));
  };
  const Dims& reshape = tensor.reshape().shape();
  if (reshape.empty() && c.never_batches()) {
    return report("cannot have empty reshape for non-batching model as scalar tensors are not supported");
  }
  if (static_cast<size_t>(reshape.size()) > tensor::kRankMax) {
    return report("has a reshape of more than " + std::to_string(tensor::kRankMax) + " dimensions");
  }
  if (std::ranges::any_of(reshape, [](int64_t dim) { return dim < 1 && dim != -1; })) {
    return report("reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension");
  }
  const auto dims_parts = FixedParts(tensor.dims());
  const auto reshape_parts = FixedParts(reshape);
  if (dims_parts.size() == reshape_parts.size()) {
    if (dims_parts != reshape_parts) report("has different size for dims and reshape");
  } else if (dims_parts.size() == 1 || reshape_parts.size() == 1) {
    report("has different size for dims and reshape");
  } else {
    report("has different number of variable-size dimensions for dims and reshape");
  }
}

// Ragged inputs reach the engine as one row of elements.
void CheckRagged(CheckContext& c, const Place& place, const inference::ModelInput& input) {
  if (!input.allow_ragged_batch()) return;
  const std::string subject = "model input '" + input.name() + "' ";
  if (c.never_batches()) {
    c.problems.push_back(
        place.At("allow_ragged_batch", subject + "cannot be ragged: max_batch_size is 0 for " + c.model));
  }
  if (input.has_reshape()) {
    c.problems.push_back(
        place.At("reshape", subject + "cannot have both reshape and allow_ragged_batch for " + c.model));
  }
}

// Checks the common properties of inputs and outputs. `kind` is "input" or "output".
template <typename Tensor>
void CheckTensor(CheckContext& c, const Place& place, std::string_view kind, const Tensor& tensor,
                 std::set<std::string>& names) {
  if (tensor.name().empty()) {
    c.problems.push_back(place.Here("model " + std::string(kind) + " must specify 'name' for " + c.model));
  } else if (!names.insert(tensor.name()).second) {
    c.problems.push_back(
        place.At("name", "model " + std::string(kind) + " '" + tensor.name() + "' is specified twice for " + c.model));
  }
  if (!IsDataType(tensor.data_type())) {
    c.problems.push_back(place.At("data_type", "unknown data type " + std::to_string(tensor.data_type())));
  }
  CheckDims(c, place, kind, tensor.name(), tensor.dims());
  CheckReshape(c, place, "model " + std::string(kind) + " '" + tensor.name() + "' ", tensor);
  if (tensor.is_shape_tensor()) {
    c.problems.push_back(place.At("is_shape_tensor", "shape tensors are only supported for TensorRT platform"));
  }
  if (tensor.is_non_linear_format_io()) {
    c.problems.push_back(
        place.At("is_non_linear_format_io", "Non-linear IO format is only supported for the TensorRT platform"));
  }
}

}  // namespace

void CheckTensors(CheckContext& c) {
  std::set<std::string> inputs;
  for (int i = 0; i < c.config.input_size(); ++i) {
    const auto& input = c.config.input(i);
    const Place place = c.place.In("input", i);
    CheckTensor(c, place, "input", input, inputs);
    CheckRagged(c, place, input);
    if (input.format() != inference::ModelInput::FORMAT_NONE && input.dims_size() != 3) {
      c.problems.push_back(place.At("format", "model input NHWC/NCHW require 3 dims for " + c.model));
    }
  }
  std::set<std::string> outputs;
  for (int i = 0; i < c.config.output_size(); ++i) {
    CheckTensor(c, c.place.In("output", i), "output", c.config.output(i), outputs);
  }
}

}  // namespace inferd::config
