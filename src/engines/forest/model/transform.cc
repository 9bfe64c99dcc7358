#include "engines/forest/model/transform.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace inferd::forest {

namespace {

// As in XGBoost: exp() does not overflow, and the sum is not 0.
template <typename Number>
Number XgboostSigmoid(Number x) {
  constexpr Number kLargest = static_cast<Number>(88.7);
  constexpr Number kSmall = static_cast<Number>(1e-16);
  return Number{1} / (std::exp(std::min(-x, kLargest)) + Number{1} + kSmall);
}

// Subtracts the largest value first, so that nothing overflows. XGBoost sums floats in double; for doubles this equals
// the other libraries.
template <typename Number>
void Softmax(const Number* from, size_t classes, Number* to) {
  const Number largest = *std::max_element(from, from + classes);
  double sum = 0;
  for (size_t i = 0; i < classes; ++i) {
    to[i] = std::exp(from[i] - largest);
    sum += to[i];
  }
  for (size_t i = 0; i < classes; ++i) to[i] /= static_cast<Number>(sum);
}

template <typename Number>
Number Single(const Transform& transform, Number x) {
  const auto scale = static_cast<Number>(transform.scale);
  switch (transform.link) {
    case Link::kSigmoid: return Number{1} / (Number{1} + std::exp(-scale * x));
    case Link::kXgboostSigmoid: return XgboostSigmoid(x);
    case Link::kExp: return std::exp(x);
    case Link::kExp2: return std::exp2(-x / scale);
    case Link::kLog1pExp: return std::log1p(std::exp(x));
    case Link::kSignedSquare: return x * std::abs(x);
    case Link::kPositive: return x > 0 ? Number{1} : Number{0};
    default: return x;
  }
}

}  // namespace

size_t TransformedWidth(const Transform& transform, size_t groups, size_t classes) {
  return transform.link == Link::kArgmax ? groups / classes : groups;
}

template <typename Number>
void ApplyTransform(const Transform& transform, const Number* margins, size_t groups, size_t classes, Number* to) {
  if (transform.divisor != 1 && transform.link != Link::kArgmax) {
    for (size_t i = 0; i < groups; ++i) to[i] = margins[i] / static_cast<Number>(transform.divisor);
    margins = to;
  }
  switch (transform.link) {
    case Link::kIdentity:
      if (to != margins) std::copy_n(margins, groups, to);
      return;
    case Link::kSoftmax:
      for (size_t i = 0; i < groups; i += classes) Softmax(margins + i, classes, to + i);
      return;
    case Link::kArgmax:
      for (size_t i = 0; i < groups; i += classes) {
        const Number* const largest = std::max_element(margins + i, margins + i + classes);
        to[i / classes] = static_cast<Number>(largest - (margins + i));
      }
      return;
    default:
      for (size_t i = 0; i < groups; ++i) to[i] = Single(transform, margins[i]);
  }
}

template void ApplyTransform(const Transform&, const float*, size_t, size_t, float*);
template void ApplyTransform(const Transform&, const double*, size_t, size_t, double*);

}  // namespace inferd::forest
