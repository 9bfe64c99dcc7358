#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::tensorflow {

// What a model's configuration says about its session. Parameters are spelled as Triton's TensorFlow backend spells
// them; those that mean nothing here are left alone.
struct SessionSettings {
  // INVALID_ARGUMENT: a parameter's value is not what it can be.
  static base::Result<SessionSettings> Parse(const inferd_load& load);

  // A serialized ConfigProto (tensorflow/core/protobuf/config.proto).
  std::string ConfigProto(int compute_threads) const;

  // Whether operators run beside each other on threads of the session, and not on the calling thread.
  bool starts_threads() const { return inter_op_threads > 0; }

  std::vector<std::string> tags = {"serve"};  // TF_GRAPH_TAG: of the SavedModel's graph, separated by commas
  std::string signature;                      // TF_SIGNATURE_DEF; empty: not said
  int intra_op_threads = 0;                   // TF_NUM_INTRA_THREADS; 0: this version's share of the server's
  int inter_op_threads = 0;                   // TF_NUM_INTER_THREADS; 0: the calling thread
  // XLA: optimization { graph { level } }, or where that is 0 TF_GLOBAL_JIT_LEVEL. -1: off; 0: TensorFlow's default,
  // which is off but for functions that ask for it; 2 compiles more than 1.
  int jit_level = 0;
};

}  // namespace inferd::tensorflow
