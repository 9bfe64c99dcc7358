#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/default_batching.h"
#include "config/engine_parameters.h"
#include "config/format/model_files.h"
#include "config/model/batching_decision.h"
#include "config/model/instances.h"
#include "config/model/model_config.h"
#include "config/platform.h"

namespace inferd::config {

struct CompletionOptions {
  bool complete = true;                 // else what a configuration does not say of the model is an error
  bool prefer_tflite = false;           // a model.tflite is what is meant, where a configuration leaves the file open
  bool triton_exact = false;            // filled in and shown as Triton does
  int32_t default_max_batch_size = 64;  // for a model that can batch and whose configuration does not say; 0: none
  UnconfiguredBatching unconfigured_batching = UnconfiguredBatching::kProven;  // which of them can
  int64_t batching_probe_ms = 2000;  // how long executions at load may look whether a model's rows are a batch; 0: none
  bool default_limits_requests = false;  // that default is also the most that one request may bring, unless it is split
  DefaultBatching default_batching;      // where that default is taken
  bool version_batching = false;         // versions bring these three themselves: see version_batching.h
  int default_instance_count = 1;        // for CPU instance groups that do not say
  Isolation default_isolation = Isolation::kNone;  // for models that do not say
  EngineParameters engine_parameters;
  // A model that takes one array, which has no name in its file, takes it under any name (KServe's Python servers,
  // MLServer).
  bool any_input_name = false;
  PlatformNames platform_names = PlatformNames::kPredictV2;
  GpusByEngine gpus;                  // of the engines that are there; of any other, nothing is known
  bool absent_gpus_are_cpus = false;  // instance groups on GPUs of engines without any are on the CPU; or else refused
};

// Step one, before an engine opens the model: name from the folder, engine from `platform`, `backend`, or else the
// files of the version folder, file name, instance groups, version policy; and FindProblems. INVALID_ARGUMENT lists
// every problem found, or the files are two models; NOT_FOUND: nothing says which engine it is for. The result's
// `engine` may be one that is not installed: the caller knows.
base::Result<ModelConfig> ResolveModel(ModelConfig config, const std::string& folder_name, const ModelFiles& files,
                                       const CompletionOptions& options);

// Adds to a resolved configuration what the model's own code says of batching, and its transaction policy. If neither
// says max_batch_size, dynamic_batching makes it 0, and as Triton so do tensors that the code adds. INVALID_ARGUMENT:
// the model says something of batching, and configurations are not completed.
base::Result<ModelConfig> AddCompleted(const ModelConfig& config, const CompletedByModel& completed,
                                       const CompletionOptions& options);

// Step two, with what the engine found: inputs, outputs and batching where the configuration does not say, and whether
// the two agree where it does. `batching`: whether the model batches, as DecideBatching() has it, or WithProbe(). Where
// its batch size comes from here and its configuration says nothing of scheduling, it gets a dynamic_batching { }, as
// in Triton. `adds_tensors`: tensors that the configuration does not list are added to it (CompletedByModel::tensors).
base::Result<ModelConfig> CompleteModel(ModelConfig config, std::vector<TensorInfo> inputs,
                                        std::vector<TensorInfo> outputs, const CompletionOptions& options,
                                        BatchingDecision batching, bool adds_tensors = false);

}  // namespace inferd::config
