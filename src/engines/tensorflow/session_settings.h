#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::tensorflow {

// A model's settings for its session. Parameters have the spelling of Triton's TensorFlow backend; those without a
// meaning here are ignored.
struct SessionSettings {
  // INVALID_ARGUMENT if a parameter's value is invalid.
  static base::Result<SessionSettings> Parse(const inferd_load& load);

  // Returns a serialized ConfigProto (tensorflow/core/protobuf/config.proto).
  std::string ConfigProto(int compute_threads) const;

  // True if operators run in parallel on threads of the session rather than on the calling thread.
  bool starts_threads() const { return inter_op_threads > 0; }

  std::vector<std::string> tags = {"serve"};  // TF_GRAPH_TAG: of the SavedModel's graph, separated by commas
  std::string signature;                      // TF_SIGNATURE_DEF; empty if not set
  int intra_op_threads = 0;                   // TF_NUM_INTRA_THREADS; 0 for this version's share of the server's
  int inter_op_threads = 0;                   // TF_NUM_INTER_THREADS; 0 for the calling thread
  // XLA: optimization { graph { level } }, or TF_GLOBAL_JIT_LEVEL if that is 0. -1 is off. 0 is TensorFlow's default,
  // which is off except for functions that request it. 2 compiles more than 1.
  int jit_level = 0;
};

}  // namespace inferd::tensorflow
