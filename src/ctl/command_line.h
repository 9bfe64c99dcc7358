#pragma once

#include <iosfwd>

namespace inferd::ctl {

// inferctl: reads the command line, does what it says, and returns the exit status: 0 done, 1 the server (or a file)
// said no, 2 the command line is wrong, 3 the server cannot be reached or is not ready for it, 130 SIGINT
// ended it early.
int RunInferctl(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace inferd::ctl
