#pragma once

#include <cstddef>
#include <cstdint>

namespace inferd::forest {

// What becomes of a row's margins in the end.
enum class Link : uint8_t {
  kIdentity,
  kSigmoid,         // 1 / (1 + exp(-scale * x))
  kXgboostSigmoid,  // likewise, as XGBoost computes it
  kExp,
  kExp2,          // 2 ^ (-x / scale): treelite's "exponential_standard_ratio"
  kLog1pExp,      // log(1 + exp(x))
  kSignedSquare,  // x * |x|
  kPositive,      // 1 where x > 0, else 0
  kSoftmax,       // of each target's classes
  kArgmax,        // the number of each target's largest class: one value for them all
};

struct Transform {
  Link link = Link::kIdentity;
  double scale = 1;
  double divisor = 1;  // of margins, before anything else
};

// How many values a row has when it had `groups` margins, `classes` for each target.
size_t TransformedWidth(const Transform& transform, size_t groups, size_t classes);

// Of one row; `to` may be `margins`. Number is float or double, which all of it is computed in.
template <typename Number>
void ApplyTransform(const Transform& transform, const Number* margins, size_t groups, size_t classes, Number* to);

extern template void ApplyTransform(const Transform&, const float*, size_t, size_t, float*);
extern template void ApplyTransform(const Transform&, const double*, size_t, size_t, double*);

}  // namespace inferd::forest
