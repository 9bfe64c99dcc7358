#include "serving/repository/probe/row_compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "data/tensor/data_type.h"
#include "data/tensor/half.h"

namespace inferd::repository {

namespace {

using tensor::DataType;

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

struct Fp16 {
  using Bits = uint16_t;
  static constexpr Tolerance kTolerance = {2e-2, 1e-3};
  static double Value(Bits bits) { return tensor::HalfToFloat(bits); }
};
struct Bf16 {
  using Bits = uint16_t;
  static constexpr Tolerance kTolerance = {2e-2, 1e-3};
  static double Value(Bits bits) { return tensor::Bf16ToFloat(bits); }
};
struct Fp32 {
  using Bits = float;
  static constexpr Tolerance kTolerance = {1e-4, 1e-6};
  static double Value(Bits value) { return value; }
};
struct Fp64 {
  using Bits = double;
  static constexpr Tolerance kTolerance = {1e-9, 1e-12};
  static double Value(Bits value) { return value; }
};

template <typename Float>
double ValueAt(std::string_view bytes, size_t i) {
  typename Float::Bits bits;
  std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
  return Float::Value(bits);
}

template <typename Float>
bool SameFloats(std::string_view one, std::string_view other, RowEquality equality) {
  const size_t size = sizeof(typename Float::Bits);
  if (one.size() != other.size()) return false;
  if (one == other) return true;
  double largest = 0;
  for (size_t i = 0; i < one.size() / size; ++i) {
    for (const double value : {ValueAt<Float>(one, i), ValueAt<Float>(other, i)}) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  const double allowed = Float::kTolerance.absolute + Float::kTolerance.relative * largest;
  for (size_t i = 0; i < one.size() / size; ++i) {
    if (std::memcmp(one.data() + i * size, other.data() + i * size, size) == 0) continue;
    const double a = ValueAt<Float>(one, i);
    const double b = ValueAt<Float>(other, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (equality == RowEquality::kExact || !std::isfinite(a) || !std::isfinite(b)) return false;
    if (std::abs(a - b) > allowed) return false;
  }
  return true;
}

bool Same(DataType datatype, std::string_view one, std::string_view other, RowEquality equality) {
  switch (datatype) {
    case DataType::kFp16: return SameFloats<Fp16>(one, other, equality);
    case DataType::kBf16: return SameFloats<Bf16>(one, other, equality);
    case DataType::kFp32: return SameFloats<Fp32>(one, other, equality);
    case DataType::kFp64: return SameFloats<Fp64>(one, other, equality);
    default: return one == other;
  }
}

}  // namespace

int FirstDifference(const core::ModelSignature& signature, const RowsAnswer& one, size_t a, const RowsAnswer& other,
                    size_t b, RowEquality equality) {
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const bool same = one.shapes[i] == other.shapes[i] &&
                      Same(signature.outputs[i].datatype, one.rows[a][i], other.rows[b][i], equality);
    if (!same) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace inferd::repository
