#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "serving/core/model/model_signature.h"
#include "serving/repository/probe/probe_execution.h"

namespace inferd::repository {

// The values of a row's elements.
enum class RowFill {
  kRandom,  // floats around 0, whole numbers of the plan's range
  kOther,   // floats of another magnitude and other signs
  kZero,
  kOne,
  kNegative,
  kAscending,
  kDescending,
  kLarge,     // thousands
  kHuge,      // near the type's largest value: squares and sums overflow
  kInfinite,  // reaches other rows even through a product with 0
  kNan,
};
std::string_view RowFillName(RowFill fill);  // in words, for example "zeros"
inline constexpr int kRowFillCount = 11;

// A way to call a model: which inputs, of which shapes, with numbers of which range.
struct ProbePlan {
  std::vector<int> given;                 // the signature's inputs, ascending
  std::vector<tensor::Shape> row_shapes;  // of `given`, without the first dimension; every dimension is known
  int64_t low = 0;                        // the range of integers, and of BYTES that are numbers
  int64_t high = 1;
  bool words = true;  // BYTES elements are words; otherwise numbers in digits

  size_t RowBytesOf(const core::ModelSignature& signature) const;  // an estimate for BYTES
};

// Returns ways to call a model, the likeliest first. They vary the sizes of dimensions of any size, except the first
// (dimensions of the same name get the same size), the ranges of integers (indices into tables must not be too large),
// and the presence of optional inputs. No plan has more than `row_bytes_max` bytes per row.
std::vector<ProbePlan> ProbePlans(const core::ModelSignature& signature, size_t row_bytes_max);

// Makes one row of the plan's inputs. Never uses the lowest integer of a type: a division of it by -1 would stop the
// process.
RowBytes MakeRow(const core::ModelSignature& signature, const ProbePlan& plan, RowFill fill, std::mt19937_64& random);

}  // namespace inferd::repository
