#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/forest/plugin/forest_model.h"
#include "engines/kit/batch_answer.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

// Runs batches on a model's forest. One Execute() at a time. Computes rows in blocks, so that the working memory does
// not grow with the batch.
class ForestInstance final {
 public:
  static base::Result<std::unique_ptr<ForestInstance>> Create(const ForestModel* model);

  // Answers every request of the batch, or returns the status for all of them.
  base::Status Execute(const inferd_batch& batch);

 private:
  // A requested output, and its destination with room for all rows.
  struct Target {
    const OutputPlan* plan;
    std::byte* memory;
    std::vector<int64_t> shape;
  };

  explicit ForestInstance(const ForestModel* model) : model_(*model) {}

  // Rows that are computed together: their position in the batch, and their features in the evaluator's form.
  struct Block {
    size_t begin;
    size_t end;
    const std::byte* rows;
  };

  // The working memory of a thread, for one block after another.
  struct Scratch {
    std::vector<float> rows;
    std::vector<double> margins;  // memory for either type
  };

  size_t RowsOfPart() const;   // the minimum for a thread
  size_t RowsOfBlock() const;  // the maximum that is computed together
  base::Status TakeRows(const inferd_input& input);
  base::Status MakeTargets(const inferd_batch& batch, size_t rows);
  void ComputeRows(size_t rows);
  // Answers each request of a batch of bodies with tables.
  void AnswerTables(const inferd_batch& batch);
  base::Result<std::string> AnswerTable(std::string_view body, bool of_tensorflow_serving);
  void ComputePart(size_t begin, size_t end) const;
  const std::byte* ConvertRows(size_t begin, size_t end, std::vector<float>* converted) const;
  void ComputeLeaves(const Target& target, const Block& block) const;
  void ComputeContributions(const Target& target, const Block& block) const;
  template <typename Sum>
  void ComputeMargins(const Block& block, std::vector<double>* memory) const;
  bool Wants(OutputKind kind) const;
  // Stores the outputs of this kind: the first values of each of the rows' groups.
  template <typename Sum>
  void StoreAll(OutputKind kind, const Sum* values, const Block& block) const;
  void Answer(const inferd_batch& batch);

  const ForestModel& model_;
  std::vector<Target> targets_;
  const std::byte* given_ = nullptr;  // the batch's rows
  std::vector<float> rounded_;        // the rows, if they came in another datatype than the signature's
  kit::BatchAnswer answer_;
};

}  // namespace inferd::forest
