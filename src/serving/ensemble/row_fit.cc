#include "serving/ensemble/row_fit.h"

#include <string>

namespace inferd::ensemble {

TensorForm FormOf(const core::TensorSpec& spec, const core::ModelSignature& model) {
  if (spec.unknown_rank) return {};
  return {.rank = spec.shape.rank(), .batches = model.max_batch_size > 0, .any_shape = spec.any_shape};
}

TensorForm FormOfInput(const core::ModelSignature& model, const std::string& input) {
  const int index = model.FindInput(input);
  return index < 0 ? TensorForm() : FormOf(model.inputs[static_cast<size_t>(index)], model);
}

base::Status FitRows(const TensorForm& form, core::InferTensor& tensor) {
  const size_t rank = tensor.shape.rank();
  if (form.batches) {
    if (rank + 1 == form.rank) tensor.shape.Prepend(1);
    return base::OkStatus();
  }
  if (rank != form.rank + 1) return base::OkStatus();
  if (tensor.shape[0] == 1) {
    tensor.shape = tensor::Shape(tensor.shape.dims().subspan(1));
  } else if (!form.any_shape) {
    return base::InvalidArgument("has no batch dimension and holds one row, got " + std::to_string(tensor.shape[0]) +
                                 " rows (shape " + tensor.shape.ToString() + "): send one row in a request");
  }
  return base::OkStatus();
}

}  // namespace inferd::ensemble
