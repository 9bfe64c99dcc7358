#pragma once

#include <cstddef>

// Decimal text of a finite number as TensorFlow Serving writes it: with six significant digits if these read back as
// the same value, else with as many as always do (9, 17); like printf's %g, with ".0" behind a whole number: "0.1",
// "1.0", "9e+06", "0.333333343".

namespace inferd::tensorjson {

inline constexpr size_t kShortDecimalMax = 26;

// Writes at most kShortDecimalMax bytes to `out`; returns the end. `value` is finite.
char* PrintShortDecimal(char* out, float value);
char* PrintShortDecimal(char* out, double value);

}  // namespace inferd::tensorjson
