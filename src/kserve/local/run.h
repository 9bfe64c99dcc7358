#pragma once

namespace inferd::local {

// Runs the program inferd-controller. Returns its exit code: 0, 1 for an error in the files or on the machine, 2 for an
// error in the command line.
int Run(int argc, char** argv);

}  // namespace inferd::local
