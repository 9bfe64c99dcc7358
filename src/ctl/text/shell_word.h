#pragma once

#include <string>
#include <string_view>

namespace inferd::ctl {

// Returns the text as one word of a shell's command line, in single quotes if it needs them.
std::string ShellWord(std::string_view text);

}  // namespace inferd::ctl
