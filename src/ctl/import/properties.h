#pragma once

#include <map>
#include <string>
#include <string_view>

namespace inferd::ctl {

// Parses a file of properties, as Java reads them: "key=value", "key: value", comments with '#' and '!', and lines that
// go on after a '\' at their end. The last of several values of a key counts. Other escapes stay as they are.
std::map<std::string, std::string> ParseProperties(std::string_view text);

}  // namespace inferd::ctl
