#pragma once

#include <optional>
#include <string>

namespace inferd::bench {

// `value` as printf writes it; "-" for none.
std::string Number(std::optional<double> value, const char* format = "%.1f");

// What is being measured, shown on a terminal; "" wipes it.
void ShowProgress(const std::string& text);

}  // namespace inferd::bench
