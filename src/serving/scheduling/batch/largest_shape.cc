#include "serving/scheduling/batch/largest_shape.h"

#include <algorithm>
#include <new>

#include "serving/scheduling/requests/resized_tensor.h"

namespace inferd::scheduling {

namespace {

tensor::Shape WithRowsOf(const core::InferTensor& tensor, tensor::Shape shape) {
  shape[0] = tensor.shape[0];
  return shape;
}

}  // namespace

std::optional<tensor::Shape> LargestShape(const ExecutionContext& context, MemberList members, int input, size_t hint) {
  if (!context.signature.inputs[input].padded || members.size() < 2) return std::nullopt;
  tensor::Shape largest = FindMemberInput(members[0]->queued, input, hint)->shape;
  bool differ = false;
  for (const auto& member : members.subspan(1)) {
    const core::InferTensor* const tensor = FindMemberInput(member->queued, input, hint);
    if (tensor == nullptr || tensor->shape.rank() != largest.rank()) return std::nullopt;
    for (size_t axis = 1; axis < largest.rank(); ++axis) {
      differ = differ || tensor->shape[axis] != largest[axis];
      largest[axis] = std::max(largest[axis], tensor->shape[axis]);
    }
  }
  return differ ? std::optional(std::move(largest)) : std::nullopt;
}

base::Result<core::InferTensor> FilledUp(const core::InferTensor& tensor, const tensor::Shape& largest) {
  core::InferTensor filled{.name = tensor.name,
                           .datatype = tensor.datatype,
                           .shape = WithRowsOf(tensor, largest),
                           .data = {},
                           .parameters = {}};
  try {
    filled.data = Padded(tensor.datatype, tensor.data, tensor.shape, filled.shape,
                         Filling::FirstOf(tensor.datatype, tensor.data));
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("there is no memory to fill up input '" + tensor.name +
                                                   "' to shape " + filled.shape.ToString()));
  }
  return filled;
}

bool MayBePadded(const ExecutionContext& context, MemberList members) {
  if (members.size() < 2) return true;
  size_t sent = 0;
  size_t padded = 0;
  const auto& inputs = members[0]->queued.layout.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::optional<tensor::Shape> largest = LargestShape(context, members, inputs[i], i);
    if (!largest.has_value()) continue;
    for (const auto& member : members) {
      const core::InferTensor& tensor = *FindMemberInput(member->queued, inputs[i], i);
      const auto bytes = PaddedSize(tensor.datatype, tensor.data.size(), tensor.shape, WithRowsOf(tensor, *largest),
                                    Filling::FirstOf(tensor.datatype, tensor.data));
      if (!bytes.has_value() || __builtin_add_overflow(padded, *bytes, &padded)) return false;
      sent += tensor.data.size();
    }
  }
  return padded <= PaddedBytesMax(sent);
}

}  // namespace inferd::scheduling
