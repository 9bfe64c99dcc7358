#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/status.h"
#include "config/ensemble.h"
#include "data/tensor/data_type.h"
#include "serving/core/request/infer_request.h"

namespace inferd::ensemble {

// The condition of a step: a comparison with a tensor of the ensemble or a parameter of the request. Immutable.
class Condition {
 public:
  // `datatype` is the tensor's; kInvalid if it is not known yet, or for a parameter. INVALID_ARGUMENT if the written
  // value cannot be compared with elements of that type.
  static base::Result<Condition> Make(const config::EnsembleCondition& written, tensor::DataType datatype);

  // `tensor` is null if it is missing. INVALID_ARGUMENT if it has not exactly one element.
  base::Result<bool> HoldsOf(const core::InferTensor* tensor) const;
  // `parameter` is null if the request does not have it. INVALID_ARGUMENT if it must be a number and is not.
  base::Result<bool> HoldsOf(const core::ParameterValue* parameter) const;

 private:
  using Kind = config::EnsembleCondition::Test;
  // A number, as exact as possible, or a text.
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
