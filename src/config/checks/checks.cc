#include "config/checks/checks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>

#include "config/own_engines.h"

namespace inferd::config {

namespace {

// Far above any use; prevents a typing mistake from starting a million threads.
constexpr int kInstancesMax = 1024;
constexpr uint32_t kWarmupCountMax = 1'000'000;

// Checks the resources of a group's executions.
void CheckResources(CheckContext& c, const Place& place, const std::string& subject,
                    const inference::ModelRateLimiter& limiter) {
  std::set<std::string_view> names;
  for (int i = 0; i < limiter.resources_size(); ++i) {
    const auto& resource = limiter.resources(i);
    const Place inside = place.In("resources", i);
    if (resource.name().empty()) {
      c.problems.push_back(inside.Here(subject + " must specify 'name' of its rate limiter's resources"));
    } else if (!names.insert(resource.name()).second) {
      c.problems.push_back(inside.At("name", subject + " specifies resource '" + resource.name() + "' twice"));
    }
    if (resource.count() == 0) {
      c.problems.push_back(inside.Here(subject + " must specify 'count' of resource '" + resource.name() + "'"));
    }
  }
}

// As in Triton, an engine's library has only one valid name.
void CheckRuntime(CheckContext& c) {
  const std::string& runtime = c.config.runtime();
  if (runtime.empty()) return;
  if (!IsInside(runtime)) {
    c.problems.push_back(
        c.place.At("runtime", "backend library name '" + runtime + "' escapes backend directory for " + c.model));
    return;
  }
  if (runtime.find_first_of("/\\") != std::string::npos || c.config.backend().empty()) return;
  const std::string expected = "libtriton_" + c.config.backend() + ".so";
  if (runtime == expected) return;
  c.problems.push_back(c.place.At("runtime", "unable to find backend library '" + runtime + "' for model '" + c.model +
                                                 "': expected '" + expected + "'"));
}

// A group on GPUs of an engine that has none.
void CheckAbsentGpu(CheckContext& c, const Place& place, const std::string& subject,
                    const inference::ModelInstanceGroup& group) {
  if (group.gpus_size() == 0) {
    c.problems.push_back(place.At("kind", subject + " has kind KIND_GPU but server does not support GPUs"));
    return;
  }
  c.problems.push_back(place.At("gpus", 0,
                                subject + " specifies invalid or unsupported gpu id " + std::to_string(group.gpus(0)) +
                                    ". The model's engine has no GPUs"));
}

bool AreBounds(const google::protobuf::RepeatedField<double>& bounds) {
  return std::ranges::all_of(bounds, [](double bound) { return std::isfinite(bound); }) &&
         std::ranges::adjacent_find(bounds, std::greater_equal()) == bounds.end();
}

}  // namespace

bool IsInside(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && !path.is_absolute() && name.find('\0') == std::string::npos &&
         std::ranges::none_of(path, [](const auto& part) { return part == ".."; });
}

void CheckInstanceGroups(CheckContext& c) {
  using Group = inference::ModelInstanceGroup;
  for (int i = 0; i < c.config.instance_group_size(); ++i) {
    const Group& group = c.config.instance_group(i);
    const Place place = c.place.In("instance_group", i);
    const std::string subject = "instance group " + group.name() + " of model " + c.model;
    // A foreign engine reports its number of GPUs when it loads the model (CheckGpus).
    const OwnEngine* const own = FindOwnEngine(c.engine);
    const bool no_gpus = c.engine.empty() || (own != nullptr && !own->gpus);
    if (group.kind() == Group::KIND_GPU) {
      if (no_gpus && !c.absent_gpus_are_cpus) CheckAbsentGpu(c, place, subject, group);
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
    if (group.gpus_size() > 0 && int64_t{group.count()} * group.gpus_size() > kInstancesMax) {
      c.problems.push_back(place.At("gpus", subject + " must have at most " + std::to_string(kInstancesMax) +
                                                " instances on all its GPUs together"));
    }
    if (group.has_rate_limiter()) CheckResources(c, place.In("rate_limiter"), subject, group.rate_limiter());
    if (group.profile_size() > 0) {
      c.problems.push_back(
          place.At("profile", subject + " specifies profile field which is only supported for TensorRT models"));
    }
  }
}

void CheckFilename(CheckContext& c, const Place& place, std::string_view field, int index, const std::string& name) {
  if (!name.empty() && !IsInside(name)) {
    c.problems.push_back(
        place.At(field, index, "'" + name + "' must be a path inside the model's folder for " + c.model));
  }
}

void CheckFilenames(CheckContext& c) {
  CheckFilename(c, c.place, "default_model_filename", -1, c.config.default_model_filename());
  CheckRuntime(c);
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
    } else if (!AreBounds(control.histogram_options().buckets())) {
      c.problems.push_back(place.Here("'buckets' must be finite numbers in ascending order for " + c.model));
    }
  }
}

}  // namespace inferd::config
