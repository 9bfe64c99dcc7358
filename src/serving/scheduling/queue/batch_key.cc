#include "serving/scheduling/queue/batch_key.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <type_traits>

#include "base/mix_bits.h"

namespace inferd::scheduling {

namespace {

// Mixes well, as shapes differ in few bits.
void Mix(uint64_t& hash, uint64_t value) { hash = base::MixBits((hash ^ value) + base::kMixStep); }

uint64_t HashOf(const core::ParameterValue& value) {
  const uint64_t hash = std::visit(
      [](const auto& v) { return static_cast<uint64_t>(std::hash<std::remove_cvref_t<decltype(v)>>{}(v)); }, value);
  return hash + value.index();
}

// Returns the first dimension in which requests' inputs may not differ.
size_t FirstDim(const core::ModelSignature& signature) { return signature.max_batch_size > 0 ? 1 : 0; }

// Returns true if requests that differ in this input's dimensions must not share an execution. Empty tensors cannot be
// filled up, and the parts of a split request are joined by their shape.
bool ShapeCounts(const core::QueuedRequest& queued, const core::InferTensor& input, const core::TensorSpec& spec,
                 size_t first_dim) {
  if (spec.ragged) return false;
  if (!spec.padded || queued.parts != nullptr) return true;
  const auto dims = input.shape.dims();
  return std::find(dims.begin() + static_cast<ptrdiff_t>(std::min(first_dim, dims.size())), dims.end(), 0) !=
         dims.end();
}

}  // namespace

BatchKey MakeBatchKey(const core::QueuedRequest& queued, const core::ModelSignature& signature,
                      std::span<const std::string> significant) {
  const core::InferRequest& request = *queued.request;
  uint64_t hash = request.inputs.size();
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const core::InferTensor& input = request.inputs[i];
    const int index = queued.layout.inputs[i];
    // Clients may send the inputs in any order.
    uint64_t one = static_cast<uint64_t>(index) + 1;
    Mix(one, static_cast<uint64_t>(input.datatype));
    Mix(one, input.shape.rank());
    if (ShapeCounts(queued, input, signature.inputs[index], FirstDim(signature))) {
      Mix(one, 1);
      for (size_t d = FirstDim(signature); d < input.shape.rank(); ++d) Mix(one, static_cast<uint64_t>(input.shape[d]));
    }
    hash += one;
  }
  if (request.parameters.empty()) return {hash};
  for (size_t i = 0; i < significant.size(); ++i) {
    const core::ParameterValue* value = core::FindParameter(request.parameters, significant[i]);
    if (value == nullptr) continue;
    Mix(hash, i);
    Mix(hash, HashOf(*value));
  }
  return {hash};
}

bool SharesBatch(const core::QueuedRequest& a, const core::QueuedRequest& b, const core::ModelSignature& signature,
                 std::span<const std::string> significant) {
  if (a.request->inputs.size() != b.request->inputs.size()) return false;
  for (size_t i = 0; i < a.request->inputs.size(); ++i) {
    const int index = a.layout.inputs[i];
    size_t j = i;  // the order is nearly always the same
    if (b.layout.inputs[j] != index) {
      for (j = 0; j < b.layout.inputs.size() && b.layout.inputs[j] != index;) ++j;
      if (j == b.layout.inputs.size()) return false;
    }
    const core::InferTensor& left = a.request->inputs[i];
    const core::InferTensor& right = b.request->inputs[j];
    if (left.datatype != right.datatype || left.shape.rank() != right.shape.rank()) return false;
    const bool counts = ShapeCounts(a, left, signature.inputs[index], FirstDim(signature));
    if (counts != ShapeCounts(b, right, signature.inputs[index], FirstDim(signature))) return false;
    for (size_t d = FirstDim(signature); counts && d < left.shape.rank(); ++d) {
      if (left.shape[d] != right.shape[d]) return false;
    }
  }
  if (a.request->parameters.empty() && b.request->parameters.empty()) return true;
  for (const std::string& name : significant) {
    const core::ParameterValue* left = core::FindParameter(a.request->parameters, name);
    const core::ParameterValue* right = core::FindParameter(b.request->parameters, name);
    if ((left == nullptr) != (right == nullptr) || (left != nullptr && *left != *right)) return false;
  }
  return true;
}

}  // namespace inferd::scheduling
