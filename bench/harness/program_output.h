#pragma once

#include <string>
#include <vector>

namespace inferd::bench {

// Runs a shell command on the cores of programs (CoreLayout), and returns its output by lines. A line has at most 255
// characters, its end included. Blocks. Empty if it could not be started.
std::vector<std::string> LinesOf(const std::string& command);

}  // namespace inferd::bench
