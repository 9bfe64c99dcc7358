#include "config/model_config_checks.h"

#include <filesystem>
#include <limits>
#include <set>

namespace inferd::config {
namespace {

// Far above any use; keeps a slip of the finger from starting a million threads.
constexpr int kInstancesMax = 1024;
constexpr uint32_t kWarmupCountMax = 1'000'000;

using Dims = google::protobuf::RepeatedField<int64_t>;

void CheckDims(CheckContext& c, const Place& place, std::string_view kind, const Dims& dims) {
  if (static_cast<size_t>(dims.size()) > tensor::kRankMax) {
    c.problems.push_back(place.At("dims", "model " + std::string(kind) + " has " + std::to_string(dims.size()) +
                                              " dimensions, at most " + std::to_string(tensor::kRankMax) +
                                              " are allowed for " + c.model));
  }
  for (int i = 0; i < dims.size(); ++i) {
    if (dims.Get(i) >= 1 || dims.Get(i) == -1) continue;
    c.problems.push_back(place.At("dims", "model " + std::string(kind) +
                                              " dimension must be integer >= 1, or -1 to indicate a variable-size "
                                              "dimension for " +
                                              c.model + ", got " + std::to_string(dims.Get(i))));
    return;
  }
}

// What inputs and outputs have in common. `kind` is "input" or "output".
template <typename Tensor>
void CheckTensor(CheckContext& c, const Place& place, std::string_view kind, const Tensor& tensor,
                 std::set<std::string>& names) {
  if (tensor.name().empty()) {
    c.problems.push_back(place.Here("model " + std::string(kind) + " must specify 'name' for " + c.model));
  } else if (!names.insert(tensor.name()).second) {
    c.problems.push_back(
        place.At("name", "model " + std::string(kind) + " '" + tensor.name() + "' is specified twice for " + c.model));
  }
  if (!inference::DataType_IsValid(tensor.data_type())) {
    c.problems.push_back(place.At("data_type", "unknown data type " + std::to_string(tensor.data_type())));
  }
  CheckDims(c, place, kind, tensor.dims());
  if (tensor.is_shape_tensor()) {
    c.problems.push_back(place.At("is_shape_tensor", "shape tensors are only supported for TensorRT platform"));
  }
  if (tensor.is_non_linear_format_io()) {
    c.problems.push_back(
        place.At("is_non_linear_format_io", "Non-linear IO format is only supported for the TensorRT platform"));
  }
}

void CheckFilename(CheckContext& c, const Place& place, std::string_view field, int index, const std::string& name) {
  if (name.empty()) return;
  const std::filesystem::path path(name);
  bool inside = !path.is_absolute() && name.find('\0') == std::string::npos;
  for (const auto& part : path) inside = inside && part != "..";
  if (!inside) {
    c.problems.push_back(
        place.At(field, index, "'" + name + "' must be a path inside the model's folder for " + c.model));
  }
}

}  // namespace

void CheckTensors(CheckContext& c) {
  std::set<std::string> inputs;
  for (int i = 0; i < c.config.input_size(); ++i) {
    const auto& input = c.config.input(i);
    const Place place = c.place.In("input", i);
    CheckTensor(c, place, "input", input, inputs);
    if (input.format() != inference::ModelInput::FORMAT_NONE && input.dims_size() != 3) {
      c.problems.push_back(place.At("format", "model input NHWC/NCHW require 3 dims for " + c.model));
    }
  }
  std::set<std::string> outputs;
  for (int i = 0; i < c.config.output_size(); ++i) {
    CheckTensor(c, c.place.In("output", i), "output", c.config.output(i), outputs);
  }
}

void CheckInstanceGroups(CheckContext& c) {
  using Group = inference::ModelInstanceGroup;
  for (int i = 0; i < c.config.instance_group_size(); ++i) {
    const Group& group = c.config.instance_group(i);
    const Place place = c.place.In("instance_group", i);
    const std::string subject = "instance group " + group.name() + " of model " + c.model;
    if (group.kind() == Group::KIND_GPU) {
      c.problems.push_back(place.At("kind", subject + " has kind KIND_GPU but server does not support GPUs"));
    } else if (group.gpus_size() > 0 && group.kind() != Group::KIND_AUTO) {
      c.problems.push_back(place.At(
          "gpus", subject + " has kind " + (Group::Kind_IsValid(group.kind()) ? Group::Kind_Name(group.kind()) : "?") +
                      " but specifies one or more GPUs"));
    }
    if (!Group::Kind_IsValid(group.kind())) c.problems.push_back(place.At("kind", subject + " has an unknown kind"));
    if (group.count() < 0 || group.count() > kInstancesMax) {
      c.problems.push_back(place.At("count", subject + " must have a count of at most " +
                                                 std::to_string(kInstancesMax) + ", got " +
                                                 std::to_string(group.count())));
    }
    if (group.profile_size() > 0) {
      c.problems.push_back(
          place.At("profile", subject + " specifies profile field which is only supported for TensorRT models"));
    }
  }
}

void CheckFilenames(CheckContext& c) {
  CheckFilename(c, c.place, "default_model_filename", -1, c.config.default_model_filename());
  CheckFilename(c, c.place, "runtime", -1, c.config.runtime());
  for (const auto& [capability, name] : c.config.cc_model_filenames()) {
    CheckFilename(c, c.place, "cc_model_filenames", -1, name);
  }
  for (int i = 0; i < c.config.output_size(); ++i) {
    CheckFilename(c, c.place.In("output", i), "label_filename", -1, c.config.output(i).label_filename());
  }
  const auto& operations = c.config.model_operations();
  for (int i = 0; i < operations.op_library_filename_size(); ++i) {
    CheckFilename(c, c.place.In("model_operations"), "op_library_filename", i, operations.op_library_filename(i));
  }
}

void CheckWarmup(CheckContext& c) {
  for (int i = 0; i < c.config.model_warmup_size(); ++i) {
    const auto& warmup = c.config.model_warmup(i);
    const Place place = c.place.In("model_warmup", i);
    if (warmup.count() > kWarmupCountMax) {
      c.problems.push_back(
          place.At("count", "warmup count must be <= " + std::to_string(kWarmupCountMax) + " for " + c.model));
    }
    for (const auto& [name, input] : warmup.inputs()) {
      CheckFilename(c, place, "inputs", -1, input.input_data_file());
      const bool typed = input.data_type() != inference::TYPE_INVALID && inference::DataType_IsValid(input.data_type());
      if (!typed) {
        c.problems.push_back(place.At("inputs", "warmup input '" + name + "' must specify 'data_type' for " + c.model));
      }
      if (input.input_data_type_case() == inference::ModelWarmup::Input::INPUT_DATA_TYPE_NOT_SET) {
        c.problems.push_back(place.At(
            "inputs", "warmup input '" + name +
                          "' must specify one of 'zero_data', 'random_data' and 'input_data_file' for " + c.model));
      }
      const tensor::Shape dims(std::span<const int64_t>(input.dims().data(), static_cast<size_t>(input.dims_size())));
      const auto count = dims.rank() > tensor::kRankMax ? std::nullopt : dims.ElementCount();
      if (!count.has_value() || *count > std::numeric_limits<int32_t>::max()) {
        c.problems.push_back(place.At("inputs", "warmup input '" + name + "' has dims " + dims.ToString() +
                                                    ", expected fixed, non-negative ones for " + c.model));
      }
    }
  }
}

void CheckMetrics(CheckContext& c) {
  for (int i = 0; i < c.config.model_metrics().metric_control_size(); ++i) {
    const auto& control = c.config.model_metrics().metric_control(i);
    const Place place = c.place.In("model_metrics").In("metric_control", i);
    if (control.metric_identifier().family().empty()) {
      c.problems.push_back(place.Here("metric control must specify 'metric_identifier' for " + c.model));
    }
    if (!control.has_histogram_options()) {
      c.problems.push_back(place.Here("metric control must specify 'histogram_options' for " + c.model));
    } else if (control.histogram_options().buckets().empty()) {
      c.problems.push_back(place.Here("histogram options must specify non-empty 'buckets' for " + c.model));
    }
  }
}

}  // namespace inferd::config
