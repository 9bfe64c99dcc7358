#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "engines/forest/plugin/forest_model.h"
#include "engines/kit/batch_answer.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

// Runs batches on a model's forest. One Execute() at a time. Rows are computed in blocks, so that what a call needs
// beside its answer does not grow with the batch.
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

  // Rows that are computed together: their place in the batch, and their features as the evaluator takes them.
  struct Block {
    size_t begin;
    size_t end;
    const std::byte* rows;
  };

  // What a thread computes in, of one block after another.
  struct Scratch {
    std::vector<float> rows;
    std::vector<double> margins;  // memory for either type
  };

  size_t RowsOfPart() const;   // the least that a thread takes
  size_t RowsOfBlock() const;  // the most that are computed together
  base::Status MakeTargets(const inferd_batch& batch, size_t rows);
  void ComputePart(size_t begin, size_t end) const;
  const std::byte* ConvertRows(size_t begin, size_t end, std::vector<float>* converted) const;
  void ComputeLeaves(const Target& target, const Block& block) const;
  void ComputeContributions(const Target& target, const Block& block) const;
  template <typename Sum>
  void ComputeMargins(const Block& block, std::vector<double>* memory) const;
  bool Wants(OutputKind kind) const;
  // Of the outputs of this kind: the first values of each of the rows' groups.
  template <typename Sum>
  void StoreAll(OutputKind kind, const Sum* values, const Block& block) const;
  void Answer(const inferd_batch& batch);

  const ForestModel& model_;
  std::vector<Target> targets_;
  const std::byte* given_ = nullptr;  // the batch's rows
  kit::BatchAnswer answer_;
};

}  // namespace inferd::forest
