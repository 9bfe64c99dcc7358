#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/status.h"
#include "config/ensemble.h"
#include "data/tensor/data_type.h"
#include "serving/core/request/infer_request.h"

namespace inferd::ensemble {

// Whether a step is taken: what a tensor of the ensemble, or a parameter of the request, is compared with. Immutable.
class Condition {
 public:
  // `datatype`: that of the tensor; kInvalid: it is not known yet, or the subject is a parameter. INVALID_ARGUMENT: no
  // element of that type can be compared with what is written.
  static base::Result<Condition> Make(const config::EnsembleCondition& written, tensor::DataType datatype);

  // `tensor` null: it is not there. INVALID_ARGUMENT: it is no single element.
  base::Result<bool> HoldsOf(const core::InferTensor* tensor) const;
  // `parameter` null: the request has none of that name. INVALID_ARGUMENT: it is no number.
  base::Result<bool> HoldsOf(const core::ParameterValue* parameter) const;

 private:
  using Kind = config::EnsembleCondition::Test;
  // Numbers as exact as they come, or a text.
  using Scalar = std::variant<long double, std::string>;

  Condition(Kind test, bool present, Scalar operand) : test_(test), present_(present), operand_(std::move(operand)) {}
  static base::Result<Scalar> Element(const core::InferTensor& tensor);
  base::Result<bool> Compare(const Scalar& value) const;
  bool HoldsOfNothing() const;

  Kind test_;
  bool present_;
  Scalar operand_;
};

}  // namespace inferd::ensemble
