#include "config/personalities/tensorflow_platform.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/system/usable_cpus.h"
#include "config/option_table/option_value.h"
#include "config/tfs/platform_config.h"

namespace inferd::config {
namespace {

constexpr std::string_view kPlatformFile = "platform_config_file";
constexpr std::string_view kSessionFile = "tensorflow_session_config_file";
constexpr std::string_view kBatchingFile = "batching_parameters_file";
constexpr std::string_view kIntraOp = "tensorflow_intra_op_parallelism";
constexpr std::string_view kInterOp = "tensorflow_inter_op_parallelism";
constexpr std::string_view kSession = "tensorflow_session_parallelism";
constexpr std::string_view kTags = "saved_model_tags";

// The flags that a platform file replaces.
constexpr std::string_view kReplaced[] = {kSessionFile,
                                          kIntraOp,
                                          kInterOp,
                                          kSession,
                                          kTags,
                                          "enable_batching",
                                          kBatchingFile,
                                          "enable_per_model_batching_parameters",
                                          "enable_model_warmup",
                                          "num_request_iterations_for_warmup"};

// The engine's limit.
constexpr int64_t kThreadsMax = 1024;

void AddParameter(FlagCombination& flags, std::string_view name, const std::string& value, std::string_view flag) {
  flags.Add("engine-parameter", "tensorflow:" + std::string(name) + "=" + value, flag);
}

// A number, and the flag that it comes from.
struct Number {
  int64_t value = 0;
  std::string_view flag;
};

void AddNumber(FlagCombination& flags, std::string_view parameter, const Number& number) {
  if (number.value != 0) AddParameter(flags, parameter, std::to_string(number.value), number.flag);
}

void AddSession(FlagCombination& flags, const Number& intra_op, const Number& inter_op, const Number& jit_level) {
  AddNumber(flags, "TF_NUM_INTRA_THREADS", intra_op);
  AddNumber(flags, "TF_NUM_INTER_THREADS", inter_op);
  AddNumber(flags, "TF_GLOBAL_JIT_LEVEL", jit_level);
}

void AddWarnings(FlagCombination& flags, std::string_view flag, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) flags.Warn(flag, ": " + warning);
}

// Anything below 1 becomes 0, automatic, as in TensorFlow Serving.
base::Result<int64_t> ReadThreads(const FlagCombination& flags, std::string_view flag) {
  const std::string* const value = flags.given().Find(flag);
  if (value == nullptr || value->starts_with('-')) return 0;
  auto threads = ParseInteger(*value, 0, kThreadsMax);
  if (!threads.has_value()) return std::unexpected(threads.error().WithContext("--" + std::string(flag)));
  return threads;
}

// Given flags take precedence over the file.
base::Status CombineSession(FlagCombination& flags) {
  INFERD_ASSIGN_OR_RETURN(const int64_t intra, ReadThreads(flags, kIntraOp));
  INFERD_ASSIGN_OR_RETURN(const int64_t inter, ReadThreads(flags, kInterOp));
  INFERD_ASSIGN_OR_RETURN(const int64_t both, ReadThreads(flags, kSession));
  if (intra > 0 && inter > 0 && both > 0) {
    return base::InvalidArgument(
        "Either configure server_options.tensorflow_session_parallelism or "
        "(server_options.tensorflow_intra_op_parallelism, server_options.tensorflow_inter_op_parallelism) separately. "
        "You cannot configure all.");
  }
  SessionConfig file;
  if (const std::string* const path = flags.File(kSessionFile); path != nullptr) {
    INFERD_ASSIGN_OR_RETURN(file, FlagCombination::ReadFile(kSessionFile, *path, ParseSessionConfig));
    AddWarnings(flags, kSessionFile, file.warnings);
  }
  Number intra_op{file.intra_op_threads, kSessionFile};
  Number inter_op{file.inter_op_threads, kSessionFile};
  if (intra > 0 || inter > 0) {
    if (intra > 0) intra_op = {intra, kIntraOp};
    if (inter > 0) inter_op = {inter, kInterOp};
  } else if (both > 0) {
    intra_op = inter_op = {both, kSession};
  }
  AddSession(flags, intra_op, inter_op, {file.jit_level, kSessionFile});
  if (const std::string* const tags = flags.File(kTags); tags != nullptr) {
    AddParameter(flags, "TF_GRAPH_TAG", *tags, kTags);
  }
  return base::OkStatus();
}

// Makes the batch threads (by default as many as cores) a resource, of which each execution needs one. A model has
// instances for all of them if there are as many cores.
void AddBatchThreads(FlagCombination& flags, const BatchingParameters& parameters, std::string_view origin) {
  const int32_t cores = base::UsableCpus();
  const int32_t threads = parameters.batch_threads > 0 ? parameters.batch_threads : cores;
  flags.Add("default-batch-resource", parameters.thread_pool_name, origin);
  flags.Add("rate-limit-resource", parameters.thread_pool_name + ":" + std::to_string(threads), origin);
  if (parameters.batch_threads > 0) flags.Add("default-instances", std::to_string(std::min(threads, cores)), origin);
}

void AddBatching(FlagCombination& flags, const BatchingParameters& parameters, std::string_view origin) {
  const DefaultBatching& batching = parameters.batching;
  flags.Add("default-max-batch-size", std::to_string(parameters.max_batch_size), origin);
  flags.Add("default-batch-delay-us", std::to_string(batching.max_queue_delay_us), origin);
  flags.Add("split-large-requests", batching.split_large_requests ? "true" : "false", origin);
  if (batching.queue_size_max > 0) flags.Add("queue-size-max", std::to_string(batching.queue_size_max), origin);
  for (const int32_t size : batching.allowed_batch_sizes) {
    flags.Add("default-allowed-batch-size", std::to_string(size), origin);
  }
  if (batching.pad_to_largest_shape) flags.Add("pad-to-largest-shape", "true", origin);
  AddBatchThreads(flags, parameters, origin);
}

base::Status CombineBatching(FlagCombination& flags) {
  const std::string* const file = flags.File(kBatchingFile);
  if (!flags.given().IsTrue("enable_batching")) {
    if (file == nullptr) return base::OkStatus();
    return base::InvalidArgument("--batching_parameters_file needs --enable_batching");
  }
  BatchingParameters parameters;
  parameters.thread_pool_name = kBatchThreadPool;
  if (file != nullptr) {
    INFERD_ASSIGN_OR_RETURN(parameters, FlagCombination::ReadFile(kBatchingFile, *file, ParseBatchingParameters));
  }
  AddBatching(flags, parameters, file == nullptr ? "enable_batching" : kBatchingFile);
  constexpr std::string_view kOfVersions = "enable_per_model_batching_parameters";
  if (flags.given().IsTrue(kOfVersions)) flags.Add("version-batching", "true", kOfVersions);
  return base::OkStatus();
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

base::Status CombinePlatformFile(FlagCombination& flags, const std::string& path) {
  INFERD_ASSIGN_OR_RETURN(const PlatformConfig platform,
                          FlagCombination::ReadFile(kPlatformFile, path, ParsePlatformConfig));
  for (const std::string_view flag : kReplaced) {
    if (flags.given().Find(flag) != nullptr) flags.Warn(flag, " has no effect: --platform_config_file is given");
  }
  AddSession(flags, {platform.session.intra_op_threads, kPlatformFile},
             {platform.session.inter_op_threads, kPlatformFile}, {platform.session.jit_level, kPlatformFile});
  if (!platform.saved_model_tags.empty()) {
    AddParameter(flags, "TF_GRAPH_TAG", Joined(platform.saved_model_tags), kPlatformFile);
  }
  if (platform.batching.has_value()) AddBatching(flags, *platform.batching, kPlatformFile);
  if (platform.version_batching) flags.Add("version-batching", "true", kPlatformFile);
  flags.Add("recorded-warmups", platform.recorded_warmups ? "true" : "false", kPlatformFile);
  flags.Add("recorded-warmup-times", std::to_string(platform.recorded_warmup_times), kPlatformFile);
  AddWarnings(flags, kPlatformFile, platform.warnings);
  return base::OkStatus();
}

}  // namespace

base::Status CombineTensorflowPlatform(FlagCombination& flags) {
  if (const std::string* const path = flags.File(kPlatformFile); path != nullptr) {
    return CombinePlatformFile(flags, *path);
  }
  INFERD_RETURN_IF_ERROR(CombineSession(flags));
  return CombineBatching(flags);
}

}  // namespace inferd::config
