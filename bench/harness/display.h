#pragma once

#include <optional>
#include <string>

namespace inferd::bench {

// Returns `value` as printf formats it, or "-" if there is none.
std::string Number(std::optional<double> value, const char* format = "%.1f");

// Shows on a terminal what is being measured. An empty text clears it.
void ShowProgress(const std::string& text);

}  // namespace inferd::bench
