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

// What a model's configuration says about its session. Parameters are spelled as Triton's ONNX Runtime backend spells
// them
// ("ONNX Runtime Backend", "Model Config Options"); those that mean nothing here are left alone.
struct SessionSettings {
  // INVALID_ARGUMENT: a parameter's value is not what it can be, or an accelerator of instances on GPUs is unknown.
  static base::Result<SessionSettings> Parse(const inferd_load& load);

  // What is asked for, or what suits the model (kit::ComputeThreads). `folder`: the model's file is in it, and
  // whatever that file brings along.
  int ComputeThreads(const inferd_load& load, const std::filesystem::path& folder) const;

  // Whether making a session may start threads that serve it later: its own pool's, or some that only a provider or a
  // library of operators knows of.
  bool StartsThreads(const Environment& environment, const inferd_load& load, int compute_threads) const;

  // `gpu`: of the session, or -1: it is on the CPU.
  base::Result<SessionOptionsOwner> MakeOptions(const Environment& environment, const inferd_load& load,
                                                int compute_threads, int32_t gpu) const;

  // Whether a run may be told to shrink the session's arena: it has one, and nobody has said when that is done.
  bool may_shrink() const {
    return memory_arena && arena_shrinkage.empty() && !session_entries.contains("session.use_env_allocators");
  }

  int intra_op_threads = 0;  // 0: this version's share of the server's compute threads
  int inter_op_threads = 1;
  bool parallel_execution = false;                       // execution_mode: 1
  GraphOptimizationLevel optimization = ORT_ENABLE_ALL;  // optimization { graph { level } }
  bool memory_arena = true;                              // enable_mem_arena
  bool memory_pattern = true;                            // enable_mem_pattern
  std::string arena_shrinkage;                           // memory.enable_memory_arena_shrinkage: "cpu:0"
  std::map<std::string, std::string> session_entries;    // session.*, optimization.*, ep.*: passed on
  GpuProviders gpu;                                      // of sessions on GPUs
};

}  // namespace inferd::onnxruntime
