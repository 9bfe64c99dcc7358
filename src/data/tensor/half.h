#pragma once

#include <cstdint>

namespace inferd::tensor {

// The bits of the 16-bit formats: FP16 is IEEE 754 binary16, BF16 is the upper half of binary32. Widening is exact.
// Narrowing rounds to nearest, ties to even, and overflows to infinity. It keeps the sign of zero and the upper bits of
// a NaN, which becomes quiet.

float HalfToFloat(uint16_t bits);
float Bf16ToFloat(uint16_t bits);

uint16_t DoubleToHalf(double value);
uint16_t DoubleToBf16(double value);
inline uint16_t FloatToHalf(float value) { return DoubleToHalf(value); }
inline uint16_t FloatToBf16(float value) { return DoubleToBf16(value); }

// The comparison of a decimal text's exact magnitude with that of the nearest double. It matters if the double is a tie
// between two 16-bit neighbours, since narrowing would then round a second time.
enum class Remainder : uint8_t { kBelow, kNone, kAbove };

uint16_t DoubleToHalf(double value, Remainder remainder);
uint16_t DoubleToBf16(double value, Remainder remainder);

// Returns true if `value` lies exactly between two neighbours.
bool IsHalfTie(double value);
bool IsBf16Tie(double value);

}  // namespace inferd::tensor
