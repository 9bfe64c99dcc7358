#include "data/tensor/half.h"

#include <bit>

namespace inferd::tensor {

namespace {

struct Half {
  static constexpr int kMantissaBits = 10;
  static constexpr int kExponentMax = 31;  // the exponent of infinity
  static constexpr int kBias = 15;
};

struct Bf16 {
  static constexpr int kMantissaBits = 7;
  static constexpr int kExponentMax = 255;
  static constexpr int kBias = 127;
};

constexpr int kDoubleMantissaBits = 52;
constexpr int kDoubleBias = 1023;
constexpr uint64_t kDoubleMantissaMask = (uint64_t{1} << kDoubleMantissaBits) - 1;

// A finite magnitude cut to the format: the bits that are kept, and the rest for comparison with half a unit.
struct Cut {
  uint32_t bits;
  uint64_t rest;
  uint64_t half;
};

template <typename F>
Cut CutMagnitude(uint64_t magnitude) {
  const int exponent = static_cast<int>(magnitude >> kDoubleMantissaBits) - kDoubleBias + F::kBias;
  uint64_t mantissa = magnitude & kDoubleMantissaMask;
  int shift = kDoubleMantissaBits - F::kMantissaBits;
  uint32_t base = 0;
  if (exponent >= F::kExponentMax) return {uint32_t{F::kExponentMax} << F::kMantissaBits, 0, 1};
  if (exponent >= 1) {
    base = static_cast<uint32_t>(exponent) << F::kMantissaBits;
  } else {
    mantissa |= kDoubleMantissaMask + 1;
    shift += 1 - exponent;
    if (shift > kDoubleMantissaBits + 1) return {0, 0, 1};
  }
  return {base + static_cast<uint32_t>(mantissa >> shift), mantissa & ((uint64_t{1} << shift) - 1),
          uint64_t{1} << (shift - 1)};
}

template <typename F>
uint16_t Narrow(double value, Remainder remainder) {
  const auto whole = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint32_t>(whole >> 48 & 0x8000);
  const uint64_t magnitude = whole & ~(uint64_t{1} << 63);
  constexpr uint64_t kInfinity = uint64_t{0x7FF} << kDoubleMantissaBits;
  if (magnitude > kInfinity) {
    constexpr uint32_t kQuiet = uint32_t{F::kExponentMax} << F::kMantissaBits | 1u << (F::kMantissaBits - 1);
    const uint64_t payload = (magnitude & kDoubleMantissaMask) >> (kDoubleMantissaBits - F::kMantissaBits);
    return static_cast<uint16_t>(sign | kQuiet | static_cast<uint32_t>(payload));
  }
  // A carry out of the mantissa raises the exponent, at most to infinity's.
  Cut cut = CutMagnitude<F>(magnitude);
  if (cut.rest == cut.half) {
    const bool odd = (cut.bits & 1) != 0;
    cut.bits += remainder == Remainder::kAbove || (remainder == Remainder::kNone && odd) ? 1 : 0;
  } else if (cut.rest > cut.half) {
    ++cut.bits;
  }
  return static_cast<uint16_t>(sign | cut.bits);
}

template <typename F>
bool IsTie(double value) {
  const Cut cut = CutMagnitude<F>(std::bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63));
  return cut.rest == cut.half;
}

}  // namespace

float Bf16ToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

float HalfToFloat(uint16_t bits) {
  constexpr int kFloatMantissaBits = 23;
  constexpr uint32_t kRebias = 127 - Half::kBias;
  const uint32_t sign = uint32_t{bits} << 16 & 0x80000000;
  const uint32_t exponent = bits >> Half::kMantissaBits & 31;
  const uint32_t mantissa = bits & 0x3FF;
  if (exponent == 31) {
    return std::bit_cast<float>(sign | 0x7F800000 | mantissa << (kFloatMantissaBits - Half::kMantissaBits));
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + kRebias) << kFloatMantissaBits |
                              mantissa << (kFloatMantissaBits - Half::kMantissaBits));
}

uint16_t DoubleToHalf(double value) { return Narrow<Half>(value, Remainder::kNone); }
uint16_t DoubleToBf16(double value) { return Narrow<Bf16>(value, Remainder::kNone); }
uint16_t DoubleToHalf(double value, Remainder remainder) { return Narrow<Half>(value, remainder); }
uint16_t DoubleToBf16(double value, Remainder remainder) { return Narrow<Bf16>(value, remainder); }
bool IsHalfTie(double value) { return IsTie<Half>(value); }
bool IsBf16Tie(double value) { return IsTie<Bf16>(value); }

}  // namespace inferd::tensor
