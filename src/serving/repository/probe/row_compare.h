#pragma once

#include "serving/core/model/model_signature.h"
#include "serving/repository/probe/probe_execution.h"

namespace inferd::repository {

// The required equality of two answers to the same row.
enum class RowEquality {
  kExact,  // bit for bit, except that any NaN equals any other: the same kernels have seen the same shapes
  // Floats may differ by rounding, as sums in another order do: by 1e-4 of the row's largest for FP32, 2e-2 for FP16
  // and BF16, 1e-9 for FP64. Kernels for one row and for many differ in that. All else is bit for bit.
  kRounded,
};

// Returns the output in which row `a` of one answer and row `b` of the other differ, or -1 if they are equal.
int FirstDifference(const core::ModelSignature& signature, const RowsAnswer& one, size_t a, const RowsAnswer& other,
                    size_t b, RowEquality equality);

}  // namespace inferd::repository
