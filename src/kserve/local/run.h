#pragma once

namespace inferd::local {

// The program inferd-controller. Returns what it exits with: 0, 1 for what is wrong with files or the machine, 2 for
// the command line.
int Run(int argc, char** argv);

}  // namespace inferd::local
