#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/status.h"
#include "engines/onnxruntime/gpu/provider_parameters.h"
#include "engines/onnxruntime/library/environment.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// A model's settings for its session. Parameters have the spelling of Triton's ONNX Runtime backend ("ONNX Runtime
// Backend", "Model Config Options"). Those without a meaning here are ignored.
struct SessionSettings {
  // INVALID_ARGUMENT if a parameter's value is invalid, or an accelerator of instances on GPUs is unknown.
  static base::Result<SessionSettings> Parse(const inferd_load& load);

  // Returns the configured number, or one that suits the model (kit::ComputeThreads()). `folder` has the model's file,
  // and the files that it refers to.
  int ComputeThreads(const inferd_load& load, const std::filesystem::path& folder) const;

  // Returns true if creating a session may start threads that serve it later: its own pool's, or those of a provider or
  // a library of operators.
  bool StartsThreads(const Environment& environment, const inferd_load& load, int compute_threads) const;

  // `gpu` is the session's, or -1 on the CPU.
  base::Result<SessionOptionsOwner> MakeOptions(const Environment& environment, const inferd_load& load,
                                                int compute_threads, int32_t gpu) const;

  // True if a run may shrink the session's arena: it has one, and no setting controls the shrinking.
  bool may_shrink() const {
    return memory_arena && arena_shrinkage.empty() && !session_entries.contains("session.use_env_allocators");
  }

  int intra_op_threads = 0;  // 0 for this version's share of the server's compute threads
  int inter_op_threads = 1;
  bool parallel_execution = false;                       // execution_mode: 1
  GraphOptimizationLevel optimization = ORT_ENABLE_ALL;  // optimization { graph { level } }
  bool memory_arena = true;                              // enable_mem_arena
  bool memory_pattern = true;                            // enable_mem_pattern
  std::string arena_shrinkage;                           // memory.enable_memory_arena_shrinkage: "cpu:0"
  std::map<std::string, std::string> session_entries;    // session.*, optimization.*, ep.*: passed to the library
  GpuProviders gpu;                                      // for sessions on GPUs
};

}  // namespace inferd::onnxruntime
