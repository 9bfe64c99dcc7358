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
  bool complete = true;                 // if false, missing facts about the model are errors
  bool prefer_tflite = false;           // choose model.tflite if a configuration leaves the file open
  bool triton_exact = false;            // fill in and show configurations as Triton does
  int32_t default_max_batch_size = 64;  // for models that can batch and whose configuration does not say; 0 for none
  UnconfiguredBatching unconfigured_batching = UnconfiguredBatching::kProven;  // the rule for which models can
  int64_t batching_probe_ms = 2000;      // time limit for trial executions at load that look for a batch; 0 for none
  bool default_limits_requests = false;  // default_max_batch_size also limits one request, unless it is split
  DefaultBatching default_batching;      // used together with default_max_batch_size
  bool version_batching = false;         // versions bring these three themselves: see version_batching.h
  int default_instance_count = 1;        // for CPU instance groups without a count
  Isolation default_isolation = Isolation::kNone;  // for models that do not say
  EngineParameters engine_parameters;
  // True if a model with one array that has no name in its file accepts it under any name (as KServe's Python servers
  // and MLServer do).
  bool any_input_name = false;
  PlatformNames platform_names = PlatformNames::kPredictV2;
  GpusByEngine gpus;                  // of installed engines; nothing is known of others
  bool absent_gpus_are_cpus = false;  // move instance groups from missing GPUs to the CPU instead of refusing them
};

// Step one, before an engine opens the model. Determines the name from the folder, the engine from `platform`,
// `backend` or else the version folder's files, the file name, instance groups and version policy, and calls
// FindProblems(). INVALID_ARGUMENT lists every problem found, or says that the files are two models. NOT_FOUND if
// nothing determines the engine. The caller must check that the result's `engine` is installed.
base::Result<ModelConfig> ResolveModel(ModelConfig config, const std::string& folder_name, const ModelFiles& files,
                                       const CompletionOptions& options);

// Adds the model code's statements on batching, and its transaction policy, to a resolved configuration. If neither has
// max_batch_size, dynamic_batching makes it 0, and so, as in Triton, do tensors that the code adds. INVALID_ARGUMENT if
// the model makes statements on batching and configurations are not completed.
base::Result<ModelConfig> AddCompleted(const ModelConfig& config, const CompletedByModel& completed,
                                       const CompletionOptions& options);

// Step two, with the engine's facts: fills in missing inputs, outputs and batching, and checks that given ones agree
// with the model. `batching` is the result of DecideBatching() or WithProbe(). If the batch size is set here and the
// configuration has no scheduling, it gets a dynamic_batching { }, as in Triton. If `adds_tensors`, tensors that the
// configuration does not list are added to it (CompletedByModel::tensors).
base::Result<ModelConfig> CompleteModel(ModelConfig config, std::vector<TensorInfo> inputs,
                                        std::vector<TensorInfo> outputs, const CompletionOptions& options,
                                        BatchingDecision batching, bool adds_tensors = false);

// Returns INVALID_ARGUMENT if tensors of a resolved configuration have no datatype: for a model that has no file to
// take it from.
base::Status CheckDatatypes(const ModelConfig& config, const CompletionOptions& options);

}  // namespace inferd::config
