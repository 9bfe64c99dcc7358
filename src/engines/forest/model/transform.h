#pragma once

#include <cstddef>
#include <cstdint>

namespace inferd::forest {

// The final transform of a row's margins.
enum class Link : uint8_t {
  kIdentity,
  kSigmoid,         // 1 / (1 + exp(-scale * x))
  kXgboostSigmoid,  // likewise, as XGBoost computes it
  kExp,
  kExp2,          // 2 ^ (-x / scale): treelite's "exponential_standard_ratio"
  kLog1pExp,      // log(1 + exp(x))
  kSignedSquare,  // x * |x|
  kPositive,      // 1 if x > 0, else 0
  kSoftmax,       // of each target's classes
  kArgmax,        // the number of each target's largest class: one value per target
};

struct Transform {
  Link link = Link::kIdentity;
  double scale = 1;
  double divisor = 1;  // of margins, applied first
};

// Returns the values per row after the transform of `groups` margins, with `classes` for each target.
size_t TransformedWidth(const Transform& transform, size_t groups, size_t classes);

// Transforms one row; `to` may be `margins`. Number is float or double, the type of all computations.
template <typename Number>
void ApplyTransform(const Transform& transform, const Number* margins, size_t groups, size_t classes, Number* to);

extern template void ApplyTransform(const Transform&, const float*, size_t, size_t, float*);
extern template void ApplyTransform(const Transform&, const double*, size_t, size_t, double*);

}  // namespace inferd::forest
