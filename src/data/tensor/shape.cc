#include "data/tensor/shape.h"

namespace inferd::tensor {

std::optional<int64_t> Shape::ElementCount() const {
  int64_t count = 1;
  bool zero = false;
  bool overflow = false;
  for (const int64_t dim : dims_) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) zero = true;
    overflow |= __builtin_mul_overflow(count, dim, &count);
    if (overflow) count = 1;
  }
  if (zero) return 0;
  if (overflow) return std::nullopt;
  return count;
}

std::string Shape::ToString() const {
  std::string text = "[";
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims_[i]);
  }
  text += ']';
  return text;
}

bool Matches(const Shape& expected, const Shape& actual) {
  if (expected.rank() != actual.rank()) return false;
  for (size_t i = 0; i < expected.rank(); ++i) {
    if (expected[i] != -1 && expected[i] != actual[i]) return false;
  }
  return true;
}

}  // namespace inferd::tensor
