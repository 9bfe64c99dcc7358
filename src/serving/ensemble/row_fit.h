#pragma once

#include <cstddef>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::ensemble {

// The form in which a model, or the ensemble itself, has a tensor. By default the form is not known.
struct TensorForm {
  size_t rank = 0;        // the batch dimension included
  bool batches = true;    // the first dimension is a batch's
  bool any_shape = true;  // tensors of other shapes are taken, too

  bool known() const { return rank > 0 || !batches; }
};

TensorForm FormOf(const core::TensorSpec& spec, const core::ModelSignature& model);

// Returns the form of the model's input. The form is not known if the model has no such input.
TensorForm FormOfInput(const core::ModelSignature& model, const std::string& input);

// Fits the tensor to the form in which it is taken, if its maker batches and its consumer does not, or the other way
// round: adds a batch dimension of 1, or removes one. Leaves other tensors as they are. Copies no bytes.
// INVALID_ARGUMENT if the batch dimension to remove is not 1.
base::Status FitRows(const TensorForm& form, core::InferTensor& tensor);

}  // namespace inferd::ensemble
