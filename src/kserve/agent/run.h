#pragma once

namespace inferd::agent {

// Runs the program inferd-agent. Returns its exit status: 0; 1 for problems of the machine; 2 for an invalid command
// line or environment.
int Run(int argc, char** argv);

}  // namespace inferd::agent
