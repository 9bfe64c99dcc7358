#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "serving/core/engine.h"

namespace inferd::repository {

// The bytes of one row of each tensor, inputs or outputs, in the signature's order. BYTES elements are packed.
using RowBytes = std::vector<std::string>;

// The result of one execution of several rows.
struct RowsAnswer {
  // If OK, `rows` has as many rows as were executed. Otherwise the engine's error, for example INVALID_ARGUMENT.
  base::Status status;
  std::string odd_output;             // if not empty: describes an output without the batch's rows
  std::vector<RowBytes> rows;         // of the outputs
  std::vector<tensor::Shape> shapes;  // of the outputs, without their first dimension
};

// An execution that no client asked for: its rows are one request, executed alone on an instance. Its response goes to
// no client and is not counted. Run() blocks its thread.
class ProbeExecution final : public core::Execution {
 public:
  ProbeExecution(const core::ModelSignature& signature, const base::Clock& clock, int64_t deadline_ns)
      : signature_(signature), clock_(clock), deadline_ns_(deadline_ns) {}

  // Blocks until the engine has finished. `given`: the indices of the signature's inputs that `rows` have, ascending.
  // `row_shapes`: their shapes without the first dimension. `deadline_ns`: when the engine is asked to give up.
  static RowsAnswer Run(core::EngineInstance& instance, const core::ModelSignature& signature,
                        const std::vector<int>& given, const std::vector<tensor::Shape>& row_shapes,
                        const std::vector<RowBytes>& rows, const base::Clock& clock, int64_t deadline_ns);

  const core::InferRequest& request(size_t /*i*/) const override { return request_; }
  bool IsCancelled(size_t /*i*/) const override { return clock_.NowNs() > deadline_ns_; }
  base::Buffer AllocateOutput(int /*output*/, size_t bytes, base::MemoryPlace /*wish*/) override {
    return base::Buffer::Allocate(bytes);
  }
  void MarkInputsReady() override {}
  void MarkInferDone() override {}
  void Respond(size_t i, core::EngineResponse response) override;
  void RespondAll(core::EngineResponse response) override;
  void Finish() override;

 private:
  RowsAnswer Take() EXCLUDES(mutex_);

  const core::ModelSignature& signature_;
  const base::Clock& clock_;
  const int64_t deadline_ns_;
  core::InferRequest request_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool finished_ GUARDED_BY(mutex_) = false;
  bool answered_ GUARDED_BY(mutex_) = false;
  base::Status status_ GUARDED_BY(mutex_);
  std::vector<core::InferTensor> tensors_ GUARDED_BY(mutex_);
};

}  // namespace inferd::repository
