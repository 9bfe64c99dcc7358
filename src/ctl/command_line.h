#pragma once

#include <iosfwd>

namespace inferd::ctl {

// Runs inferctl. Returns the exit status: 0 if done, 1 if the server (or a file) caused an error, 2 for an invalid
// command line, 3 if the server cannot be reached or is not ready, 130 if SIGINT ended it early.
int RunInferctl(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace inferd::ctl
