#pragma once

#include <string>
#include <vector>

namespace inferd::bench {

// What a shell command prints, by lines, each of at most 255 characters with its end; run on the cores of programs
// (CoreLayout). Blocks. None: it could not be started.
std::vector<std::string> LinesOf(const std::string& command);

}  // namespace inferd::bench
