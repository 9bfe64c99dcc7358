#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "enginekit/batch_answer.h"
#include "engines/forest/plugin/forest_model.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

// Runs batches on a model's forest. One Execute() at a time; keeps the arrays that a call needs.
class ForestInstance final {
 public:
  static base::Result<std::unique_ptr<ForestInstance>> Create(const ForestModel* model);

  // Answers every request of the batch, or returns what all of them are to be answered.
  base::Status Execute(const inferd_batch& batch);

 private:
  // An output that is wanted, and where it goes: room for all rows.
  struct Target {
    const OutputPlan* plan;
    std::byte* memory;
    std::vector<int64_t> shape;
  };

  explicit ForestInstance(const ForestModel* model) : model_(*model) {}

  size_t RowsOfPart() const;  // the least that a thread takes
  base::Status MakeTargets(const inferd_batch& batch, size_t rows);
  void ConvertRows(const inferd_memory& memory);
  void Compute(size_t begin, size_t end);
  void ComputeLeaves(const Target& target, size_t begin, size_t end);
  void ComputeContributions(const Target& target, size_t begin, size_t end);
  template <typename Sum>
  void ComputeMargins(size_t begin, size_t end);
  // Of the outputs of this kind: the first values of each of the rows' groups.
  template <typename Sum>
  void StoreAll(OutputKind kind, const Sum* values, size_t begin, size_t end);
  void Answer(const inferd_batch& batch);

  const ForestModel& model_;
  std::vector<Target> targets_;
  const std::byte* rows_ = nullptr;  // as the evaluator takes them
  std::vector<float> converted_;     // where the request has them otherwise
  std::vector<double> margins_;      // of all rows; memory for either type
  enginekit::BatchAnswer answer_;
};

}  // namespace inferd::forest
