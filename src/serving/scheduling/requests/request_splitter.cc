#include "serving/scheduling/requests/request_splitter.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "serving/core/model_version.h"
#include "serving/scheduling/requests/answer_joiner.h"

namespace inferd::scheduling {

namespace {

bool CarriesRows(const core::TensorSpec& output) { return output.shape.rank() > 0 && output.shape[0] == -1; }

// Cuts an input into parts, from its first row to its last.
class InputCutter {
 public:
  // `tensor` must have passed validation.
  InputCutter(core::InferTensor tensor, int64_t rows) : tensor_(std::move(tensor)), rows_left_(rows) {
    tensor::Shape row(tensor_.shape.dims().subspan(1));
    row_elements_ = tensor::ElementCount(row).value_or(0);
    row_bytes_ = tensor_.data.size() / static_cast<size_t>(rows);
  }

  core::InferTensor Next(int64_t rows) {
    core::InferTensor piece{.name = tensor_.name,
                            .datatype = tensor_.datatype,
                            .shape = tensor_.shape,
                            .data = {},
                            .parameters = tensor_.parameters};
    piece.shape[0] = rows;
    const size_t bytes = BytesOf(rows);
    piece.data = tensor_.data.Sub(at_, bytes);
    at_ += bytes;
    rows_left_ -= rows;
    return piece;
  }

 private:
  size_t BytesOf(int64_t rows) const {
    const size_t left = tensor_.data.size() - at_;
    if (rows == rows_left_) return left;
    if (tensor_.datatype != tensor::DataType::kBytes) return static_cast<size_t>(rows) * row_bytes_;
    return tensor::PackedPrefix(tensor_.data.bytes().subspan(at_), static_cast<size_t>(rows) * row_elements_)
        .value_or(left);
  }

  const core::InferTensor tensor_;
  int64_t rows_left_;
  size_t row_elements_;
  size_t row_bytes_;  // if all rows have the same size
  size_t at_ = 0;
};

}  // namespace

bool ToBeSplit(const core::QueuedRequest& queued, int64_t rows_max) {
  if (queued.layout.rows <= rows_max || rows_max < 1) return false;
  const core::ModelSignature& signature = *queued.version->signatures()[queued.request->signature];
  return signature.splits_larger_requests && !signature.decoupled && !queued.request->sequence.named() &&
         std::ranges::all_of(signature.outputs, CarriesRows);
}

void SplitRequest(core::QueuedRequest queued, int64_t rows_max,
                  const std::function<void(core::QueuedRequest)>& enqueue) {
  std::vector<InputCutter> cutters;
  cutters.reserve(queued.request->inputs.size());
  for (core::InferTensor& input : queued.request->inputs) cutters.emplace_back(std::move(input), queued.layout.rows);
  queued.request->inputs.clear();

  const auto joiner = std::make_shared<AnswerJoiner>(std::move(queued), rows_max);
  for (size_t part = 0; part < joiner->part_count() && !joiner->failed(); ++part) {
    core::QueuedRequest piece = joiner->MakePart(part);
    for (InputCutter& cutter : cutters) piece.request->inputs.push_back(cutter.Next(joiner->RowsOf(part)));
    enqueue(std::move(piece));
  }
}

}  // namespace inferd::scheduling
