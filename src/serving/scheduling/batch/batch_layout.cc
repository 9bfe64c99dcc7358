#include "serving/scheduling/batch/batch_layout.h"

#include <boost/container/small_vector.hpp>
#include <new>
#include <optional>
#include <string>

#include "data/tensor/raw.h"
#include "serving/core/model/tensor_reshape.h"
#include "serving/scheduling/batch/batch_padding.h"
#include "serving/scheduling/batch/largest_shape.h"

namespace inferd::scheduling {

namespace {

base::BufferSlice Aligned(const ExecutionContext& context, const base::BufferSlice& data, size_t alignment) {
  if (!data.place().readable()) return data;  // the engine's host copies it if needed
  base::BufferSlice aligned = tensor::Aligned(data, alignment);
  if (aligned.data() != data.data()) context.statistics.AddInputCopy();
  return aligned;
}

// Returns the shape of one row with all elements, as the members have no common shape.
base::Result<tensor::Shape> RaggedShape(MemberList members, int input, size_t hint) {
  int64_t total = 0;
  for (const auto& member : members) {
    const core::InferTensor* tensor = FindMemberInput(member->queued, input, hint);
    INFERD_ASSIGN_OR_RETURN(const size_t elements, tensor::ElementCount(tensor->shape));
    if (__builtin_add_overflow(total, static_cast<int64_t>(elements), &total)) {
      return std::unexpected(base::InvalidArgument("a batch of requests has more than 2^63 elements"));
    }
  }
  return tensor::Shape{total};
}

base::Result<tensor::Shape> BatchShape(const ExecutionContext& context, MemberList members, const RowCount& rows,
                                       int input, size_t hint, const std::optional<tensor::Shape>& largest) {
  const core::TensorSpec& spec = context.signature.inputs[input];
  if (spec.ragged) return RaggedShape(members, input, hint);
  tensor::Shape shape = largest.value_or(members[0]->queued.request->inputs[hint].shape);
  if (members.size() + static_cast<size_t>(rows.padding) > 1 && shape.rank() > 0) shape[0] = rows.total();
  if (spec.reshape) return core::EngineShape(spec, shape, context.signature.max_batch_size > 0);
  return shape;
}

// Pads with a row of the last member that has one: it has the same kind, and the model accepts it.
base::Result<base::BufferSlice> PaddingPiece(MemberList members, int64_t rows, int input, size_t hint,
                                             const std::optional<tensor::Shape>& largest) {
  for (size_t i = members.size(); i-- > 0;) {
    const core::QueuedRequest& member = members[i]->queued;
    if (member.layout.rows == 0) continue;
    const core::InferTensor& tensor = *FindMemberInput(member, input, hint);
    if (!largest.has_value()) return RepeatFirstRow(tensor, rows);
    INFERD_ASSIGN_OR_RETURN(const core::InferTensor filled, FilledUp(tensor, *largest));
    return RepeatFirstRow(filled, rows);
  }
  return std::unexpected(base::Internal("a batch without rows is filled up; this is a fault of the server"));
}

base::Status LayOutInput(const ExecutionContext& context, MemberList members, const RowCount& rows, size_t i,
                         core::ExecutionInput& input) {
  const int index = members[0]->queued.layout.inputs[i];
  input.index = context.engine_inputs[index];
  input.datatype = members[0]->queued.request->inputs[i].datatype;
  input.pieces.clear();
  // Pieces that will be gathered need not be copied one by one first.
  const bool gathered =
      (members.size() > 1 || rows.padding > 0) && !context.one_piece_inputs.empty() && context.one_piece_inputs[index];
  if (gathered) context.statistics.AddInputCopy();
  const std::optional<tensor::Shape> largest = LargestShape(context, members, index, i);
  for (const auto& member : members) {
    const core::InferTensor* tensor = FindMemberInput(member->queued, index, i);
    if (tensor == nullptr || member->queued.layout.inputs.size() != members[0]->queued.layout.inputs.size()) {
      return base::Internal("requests with different inputs share a batch; this is a fault of the server");
    }
    base::BufferSlice piece = tensor->data;
    if (largest.has_value()) {
      INFERD_ASSIGN_OR_RETURN(core::InferTensor filled, FilledUp(*tensor, *largest));
      if (filled.data.data() != piece.data()) context.statistics.AddInputCopy();
      piece = std::move(filled.data);
    }
    input.pieces.push_back(gathered ? std::move(piece) : Aligned(context, piece, context.input_alignments[index]));
  }
  if (rows.padding > 0) {
    INFERD_ASSIGN_OR_RETURN(base::BufferSlice piece, PaddingPiece(members, rows.padding, index, i, largest));
    input.pieces.push_back(std::move(piece));
  }
  INFERD_ASSIGN_OR_RETURN(input.shape, BatchShape(context, members, rows, index, i, largest));
  return base::OkStatus();
}

base::Status Generate(const ExecutionContext& context, MemberList members, const BatchPlan::Generated& generated,
                      core::ExecutionInput& input) {
  boost::container::small_vector<tensor::Shape, 8> shapes;
  for (const auto& member : members) shapes.push_back(SourceShape(context, member->queued, generated.source));
  INFERD_ASSIGN_OR_RETURN(GeneratedTensor tensor,
                          MakeBatchInput(generated.kind, generated.datatype, {shapes.data(), shapes.size()}));
  input.index = generated.engine_input;
  input.datatype = generated.datatype;
  input.shape = std::move(tensor.shape);
  input.pieces.clear();
  input.pieces.push_back(std::move(tensor.data));
  return base::OkStatus();
}

// Lays out the control inputs, after all others.
base::Status LayOutControls(const ExecutionContext& context, MemberList members, const RowCount& rows, size_t first,
                            std::vector<core::ExecutionInput>& inputs) {
  try {
    for (size_t i = 0; i < context.controls.size(); ++i) {
      LayOutControl(context.controls[i], members, rows.padding, inputs[first + i]);
    }
  } catch (const std::bad_alloc&) {
    return base::ResourceExhausted("there is no memory for the sequence controls of the batch");
  }
  return base::OkStatus();
}

}  // namespace

const core::InferTensor* FindMemberInput(const core::QueuedRequest& member, int input, size_t hint) {
  const auto& inputs = member.layout.inputs;
  if (hint < inputs.size() && inputs[hint] == input) return &member.request->inputs[hint];
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == input) return &member.request->inputs[i];
  }
  return nullptr;
}

tensor::Shape SourceShape(const ExecutionContext& context, const core::QueuedRequest& member, int input) {
  const core::TensorSpec& spec = context.signature.inputs[input];
  const bool batches = context.signature.max_batch_size > 0;
  if (const core::InferTensor* tensor = FindMemberInput(member, input); tensor != nullptr) {
    return spec.reshape ? core::EngineShape(spec, tensor->shape, batches) : tensor->shape;
  }
  tensor::Shape none = spec.reshape.value_or(spec.shape);
  if (batches && spec.reshape) none.Prepend(0);
  for (size_t i = 0; i < none.rank(); ++i) none[i] = 0;
  if (batches) none[0] = member.layout.rows;
  return none;
}

base::Status LayOutInputs(const ExecutionContext& context, MemberList members, const RowCount& rows,
                          std::vector<core::ExecutionInput>& inputs) {
  const size_t given = members[0]->queued.layout.inputs.size();
  const std::vector<BatchPlan::Generated>& generated = context.plan.generated;
  inputs.resize(given + generated.size() + context.controls.size());
  for (size_t i = 0; i < given; ++i) INFERD_RETURN_IF_ERROR(LayOutInput(context, members, rows, i, inputs[i]));
  for (size_t i = 0; i < generated.size(); ++i) {
    try {
      INFERD_RETURN_IF_ERROR(Generate(context, members, generated[i], inputs[given + i]));
    } catch (const std::bad_alloc&) {
      return base::ResourceExhausted("there is no memory for the batch_input of the batch");
    }
  }
  if (!context.controls.empty()) return LayOutControls(context, members, rows, given + generated.size(), inputs);
  return base::OkStatus();
}

}  // namespace inferd::scheduling
