#pragma once

namespace inferd::agent {

// The program inferd-agent. Returns what it exits with: 0, 1 for what is wrong with the machine, 2 for the command line
// or the environment.
int Run(int argc, char** argv);

}  // namespace inferd::agent
