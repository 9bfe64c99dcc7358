#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engines/onnxruntime/onnx_run.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// An instance's CUDA graphs, one for each set of shapes and wanted outputs. The library records one when such an
// execution comes for the first time, and replays it from then on, with the addresses that it had: inputs and outputs
// have to stay where they are. Not thread-safe.
class GraphRuns final {
 public:
  // So many in the life of an instance: the library keeps them all. Executions of further shapes are no graphs.
  static constexpr int32_t kGraphsMax = 64;

  explicit GraphRuns(OnnxModel* model) : model_(model) {}

  // For the execution. Null: it is none.
  OnnxRun* Find(const inferd_batch& batch);

  // The addresses are others now: what was recorded is of no use.
  void Forget() { runs_.clear(); }

 private:
  static std::vector<int64_t> KeyOf(const inferd_batch& batch);

  OnnxModel* const model_;
  std::map<std::vector<int64_t>, std::unique_ptr<OnnxRun>> runs_;
  int32_t recorded_ = 0;
};

}  // namespace inferd::onnxruntime
