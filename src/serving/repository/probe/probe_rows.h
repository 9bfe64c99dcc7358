#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "serving/core/model/model_signature.h"
#include "serving/repository/probe/probe_execution.h"

namespace inferd::repository {

// What the elements of a row are.
enum class RowFill {
  kRandom,  // floats around 0, whole numbers of the plan's range
  kOther,   // floats of another size, with other signs
  kZero,
  kOne,
  kNegative,
  kAscending,
  kDescending,
  kLarge,     // thousands
  kHuge,      // near the largest that the type has, which squares and sums exceed
  kInfinite,  // reaches others even through a product with 0
  kNan,
};
std::string_view RowFillName(RowFill fill);  // "zeros": in words
inline constexpr int kRowFillCount = 11;

// How a model is called: which inputs, of which shapes, with numbers of which range.
struct ProbePlan {
  std::vector<int> given;                 // the signature's inputs, ascending
  std::vector<tensor::Shape> row_shapes;  // of those, without the first dimension; every dimension known
  int64_t low = 0;                        // of whole numbers, and of the numbers that words are
  int64_t high = 1;
  bool words = true;  // BYTES elements are words; otherwise numbers in digits

  size_t RowBytesOf(const core::ModelSignature& signature) const;  // roughly, for BYTES
};

// Ways to call a model, the likeliest first: sizes for its dimensions of any size but the first (those of one name are
// equal), ranges for its whole numbers (indices into tables refuse what is too large), with and without its optional
// inputs. None of more than `row_bytes_max` bytes a row.
std::vector<ProbePlan> ProbePlans(const core::ModelSignature& signature, size_t row_bytes_max);

// One row of the plan's inputs. No whole number is the lowest of its type: divided by -1, it stops the process.
RowBytes MakeRow(const core::ModelSignature& signature, const ProbePlan& plan, RowFill fill, std::mt19937_64& random);

}  // namespace inferd::repository
