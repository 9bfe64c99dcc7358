#include "serving/scheduling/batch/output_layout.h"

#include <algorithm>
#include <string>

#include "data/tensor/raw.h"
#include "serving/core/model/tensor_reshape.h"
#include "serving/scheduling/batch/output_split.h"

namespace inferd::scheduling {

namespace {

constexpr size_t kUnwanted = SIZE_MAX;

base::Status WrongOutput(const core::TensorSpec& spec, const std::string& what) {
  return base::Internal("the engine returned output '" + spec.name + "' " + what);
}

// Returns true if this entry stands for an output that the model left out.
bool IsLeftOut(const core::InferTensor& tensor) {
  return tensor.datatype == tensor::DataType::kInvalid && tensor.name.empty() && tensor.shape.rank() == 0 &&
         tensor.data.empty();
}

base::Status CheckDatatype(const core::TensorSpec& spec, tensor::DataType datatype) {
  if (datatype == spec.datatype || spec.unchecked) return base::OkStatus();
  return WrongOutput(spec, "as " + std::string(tensor::DataTypeName(datatype)) + ", expected " +
                               std::string(tensor::DataTypeName(spec.datatype)));
}

// Decides whether a response of one element can have all dimensions that clients were promised.
bool IsOneElement(const tensor::Shape& promised, int64_t max_batch_size, const core::QueuedRequest& member) {
  if (max_batch_size > 0 && member.layout.rows != 1) return false;
  return std::ranges::all_of(promised.dims(), [](int64_t dim) { return dim == 1 || dim == -1; });
}

}  // namespace

void OutputLayout::LayOut(MemberList members, std::vector<int>& outputs) {
  slots_.assign(context_.signature.outputs.size(), kUnwanted);
  order_.clear();
  for (const auto& member : members) {
    for (const int output : member->queued.layout.outputs) {
      if (std::exchange(slots_[output], 0) == kUnwanted) order_.push_back(output);
    }
  }
  std::ranges::sort(order_, {}, [this](int output) { return context_.engine_outputs[output]; });
  outputs.clear();
  for (const int output : order_) {
    slots_[output] = outputs.size();
    outputs.push_back(context_.engine_outputs[output]);
  }
}

base::Status OutputLayout::Arrange(std::vector<core::InferTensor>& tensors) const {
  if (tensors.size() != order_.size()) {
    return base::Internal("the engine returned " + std::to_string(tensors.size()) + " outputs, expected " +
                          std::to_string(order_.size()));
  }
  for (size_t slot = 0; slot < tensors.size(); ++slot) {
    const core::TensorSpec& spec = context_.signature.outputs[order_[slot]];
    if (IsLeftOut(tensors[slot])) {
      if (spec.may_be_missing) continue;
      return base::Internal("the engine returned no output '" + spec.name + "'");
    }
    if (tensors[slot].name.empty()) tensors[slot].name = spec.name;
    if (tensors[slot].name != spec.name) {
      const auto it = std::find_if(tensors.begin() + static_cast<ptrdiff_t>(slot), tensors.end(),
                                   [&](const core::InferTensor& tensor) { return tensor.name == spec.name; });
      if (it == tensors.end()) return base::Internal("the engine returned no output '" + spec.name + "'");
      std::swap(tensors[slot], *it);
    }
    if (tensors[slot].datatype == tensor::DataType::kInvalid) tensors[slot].datatype = spec.datatype;
    INFERD_RETURN_IF_ERROR(CheckDatatype(spec, tensors[slot].datatype));
  }
  return base::OkStatus();
}

tensor::Shape OutputLayout::ScatteredShapeOf(const core::QueuedRequest& member, int output) const {
  return ScatteredShape(context_.signature.outputs[output].shape,
                        SourceShape(context_, member, context_.plan.ScatterSource(output)));
}

// Fits a lone request's output to its shape. Its leading dimension may be anything. But if clients see another shape
// than the engine, it must be the engine's expected shape. A scalar gets the dimensions that clients were promised.
base::Status OutputLayout::FitShape(const core::QueuedRequest& member, int output, core::InferTensor& tensor) const {
  const core::TensorSpec& spec = context_.signature.outputs[output];
  if (context_.plan.ScatterSource(output) >= 0) {
    tensor::Shape shape = ScatteredShapeOf(member, output);
    if (shape.ElementCount() != tensor.shape.ElementCount()) {
      return WrongOutput(
          spec, "with shape " + tensor.shape.ToString() + ", which is not as many elements as " + shape.ToString());
    }
    tensor.shape = std::move(shape);
  } else if (spec.reshape) {
    auto shape = core::ClientShape(spec, tensor.shape, context_.signature.max_batch_size > 0);
    if (!shape.has_value()) return spec.unchecked ? base::OkStatus() : shape.error();
    tensor.shape = *std::move(shape);
  } else if (tensor.shape.rank() == 0 && !spec.any_shape &&
             IsOneElement(spec.shape, context_.signature.max_batch_size, member)) {
    for (size_t d = 0; d < spec.shape.rank(); ++d) tensor.shape.Append(1);
  }
  return base::OkStatus();
}

base::Status OutputLayout::Pick(const core::QueuedRequest& member, std::vector<core::InferTensor>& tensors) const {
  INFERD_RETURN_IF_ERROR(Arrange(tensors));
  const auto& wanted = member.layout.outputs;
  bool whole = true;
  for (const int output : wanted) {
    core::InferTensor& tensor = tensors[slots_[output]];
    whole &= !IsLeftOut(tensor);
    if (!IsLeftOut(tensor)) INFERD_RETURN_IF_ERROR(FitShape(member, output, tensor));
  }
  if (whole && std::ranges::equal(wanted, order_)) return base::OkStatus();
  std::vector<core::InferTensor> picked;
  picked.reserve(wanted.size());
  for (const int output : wanted) {
    core::InferTensor& tensor = tensors[slots_[output]];
    if (!IsLeftOut(tensor)) picked.push_back(std::move(tensor));
  }
  tensors = std::move(picked);
  return base::OkStatus();
}

base::Status OutputLayout::CountByRows(MemberList members, const RowCount& rows, int output, core::InferTensor& whole) {
  const core::TensorSpec& spec = context_.signature.outputs[output];
  const bool batches = context_.signature.max_batch_size > 0;
  const int64_t total = rows.total();
  if (!batches || whole.shape.rank() == 0 || whole.shape[0] != total) {
    return WrongOutput(spec, "with shape " + whole.shape.ToString() + " for a batch of " + std::to_string(total));
  }
  if (spec.reshape) {
    INFERD_ASSIGN_OR_RETURN(whole.shape, core::ClientShape(spec, whole.shape, batches));
  }
  const auto elements = tensor::ElementCount(whole.shape);
  if (!elements) return WrongOutput(spec, "with " + elements.error().message());
  const size_t per_row = total == 0 ? 0 : *elements / static_cast<size_t>(total);
  for (const auto& member : members) counts_.push_back(per_row * static_cast<size_t>(member->queued.layout.rows));
  if (rows.padding > 0) counts_.push_back(per_row * static_cast<size_t>(rows.padding));
  return base::OkStatus();
}

base::Status OutputLayout::CountByShapes(MemberList members, int output) {
  for (const auto& member : members) {
    const auto elements = tensor::ElementCount(ScatteredShapeOf(member->queued, output));
    if (!elements) return WrongOutput(context_.signature.outputs[output], "for " + elements.error().message());
    counts_.push_back(*elements);
  }
  return base::OkStatus();
}

base::Status OutputLayout::Split(MemberList members, const RowCount& rows, std::vector<core::InferTensor>& wholes) {
  shares_ = members.size() + (rows.padding > 0 ? 1 : 0);
  ends_.resize(wholes.size() * shares_);
  for (size_t slot = 0; slot < wholes.size(); ++slot) {
    if (IsLeftOut(wholes[slot])) continue;
    const int output = order_[slot];
    counts_.clear();
    INFERD_RETURN_IF_ERROR(context_.plan.ScatterSource(output) >= 0 ? CountByShapes(members, output)
                                                                    : CountByRows(members, rows, output, wholes[slot]));
    const std::span<size_t> ends = std::span(ends_).subspan(slot * shares_, shares_);
    if (const base::Status status = FindShareEnds(wholes[slot], counts_, ends); !status.ok()) {
      return WrongOutput(context_.signature.outputs[output], "wrongly: " + status.message());
    }
  }
  return base::OkStatus();
}

std::vector<core::InferTensor> OutputLayout::ShareOf(MemberList members, size_t i,
                                                     const std::vector<core::InferTensor>& wholes) const {
  const core::QueuedRequest& member = members[i]->queued;
  std::vector<core::InferTensor> shares;
  shares.reserve(member.layout.outputs.size());
  for (const int output : member.layout.outputs) {
    const size_t slot = slots_[output];
    const core::InferTensor& whole = wholes[slot];
    if (IsLeftOut(whole)) continue;
    const size_t* ends = ends_.data() + slot * shares_;
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    core::InferTensor& share = shares.emplace_back();
    share.name = whole.name;
    share.datatype = whole.datatype;
    if (context_.plan.ScatterSource(output) >= 0) {
      share.shape = ScatteredShapeOf(member, output);
    } else {
      share.shape = whole.shape;
      share.shape[0] = member.layout.rows;
    }
    share.data = whole.data.Sub(begin, ends[i] - begin);
    share.parameters = whole.parameters;
  }
  return shares;
}

}  // namespace inferd::scheduling
