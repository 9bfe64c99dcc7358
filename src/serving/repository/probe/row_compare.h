#pragma once

#include "serving/core/model/model_signature.h"
#include "serving/repository/probe/probe_execution.h"

namespace inferd::repository {

// How equal two answers to the same row must be.
enum class RowEquality {
  kExact,  // bit for bit, but that any NaN equals any other: the same kernels have seen the same shapes
  // Floats may differ by what another order of summing makes, against the largest of the row: 1e-4 of it for FP32, 2e-2
  // for FP16 and BF16, 1e-9 for FP64. Kernels for one row and for many differ in that. All else is bit for bit.
  kRounded,
};

// The output in which row `a` of one answer and row `b` of another differ; -1: they are equal.
int FirstDifference(const core::ModelSignature& signature, const RowsAnswer& one, size_t a, const RowsAnswer& other,
                    size_t b, RowEquality equality);

}  // namespace inferd::repository
