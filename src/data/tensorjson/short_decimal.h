#pragma once

#include <cstddef>

// Prints a finite number as TensorFlow Serving does: with six significant digits if these read back as the same value,
// else with enough for any value (9 or 17). The form is that of printf's %g, with ".0" after a whole number: "0.1",
// "1.0", "9e+06", "0.333333343".

namespace inferd::tensorjson {

inline constexpr size_t kShortDecimalMax = 26;

// Writes at most kShortDecimalMax bytes to `out` and returns the end. `value` must be finite.
char* PrintShortDecimal(char* out, float value);
char* PrintShortDecimal(char* out, double value);

}  // namespace inferd::tensorjson
