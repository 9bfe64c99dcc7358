#pragma once

#include <string>
#include <string_view>

namespace inferd::wire {

// `text` with everything else than UTF-8 replaced by U+FFFD: no client could read a message with a string that has it.
std::string ToUtf8(std::string_view text);

}  // namespace inferd::wire
