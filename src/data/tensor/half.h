#pragma once

#include <cstdint>

namespace inferd::tensor {

// The bits of the 16-bit formats: FP16 is IEEE 754 binary16, BF16 the upper half of binary32. Widening is exact;
// narrowing rounds to nearest, ties to even, overflows to infinity, keeps the sign of zero and the upper bits of a NaN,
// made quiet.

float HalfToFloat(uint16_t bits);
float Bf16ToFloat(uint16_t bits);

uint16_t DoubleToHalf(double value);
uint16_t DoubleToBf16(double value);
inline uint16_t FloatToHalf(float value) { return DoubleToHalf(value); }
inline uint16_t FloatToBf16(float value) { return DoubleToBf16(value); }

// How a decimal text's exact magnitude compares with that of the double nearest to it. Matters where the double is a
// tie between two 16-bit neighbours: narrowing it would round a second time.
enum class Remainder : uint8_t { kBelow, kNone, kAbove };

uint16_t DoubleToHalf(double value, Remainder remainder);
uint16_t DoubleToBf16(double value, Remainder remainder);

// Whether `value` lies exactly between two neighbours.
bool IsHalfTie(double value);
bool IsBf16Tie(double value);

}  // namespace inferd::tensor
