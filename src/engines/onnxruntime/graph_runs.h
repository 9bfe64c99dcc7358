#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engines/onnxruntime/onnx_run.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// An instance's CUDA graphs, one for each set of shapes and requested outputs. The library records one at the first
// such execution, and replays it from then on with the same addresses: inputs and outputs must not move. Not
// thread-safe.
class GraphRuns final {
 public:
  // The maximum in the life of an instance: the library keeps them all. Executions of further shapes use no graph.
  static constexpr int32_t kGraphsMax = 64;

  explicit GraphRuns(OnnxModel* model) : model_(model) {}

  // Returns the run for the execution, or null if it uses no graph.
  OnnxRun* Find(const inferd_batch& batch);

  // Forgets all graphs, because addresses have changed.
  void Forget() { runs_.clear(); }

 private:
  static std::vector<int64_t> KeyOf(const inferd_batch& batch);

  OnnxModel* const model_;
  std::map<std::vector<int64_t>, std::unique_ptr<OnnxRun>> runs_;
  int32_t recorded_ = 0;
};

}  // namespace inferd::onnxruntime
