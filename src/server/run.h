#pragma once

namespace inferd::server {

// The whole program: reads the options, serves until SIGTERM or SIGINT, drains. Returns the exit status: 0 after an
// orderly end, 1 for what failed while starting or draining, 2 for options that make no sense. A second signal while
// draining ends the process at once.
int Run(int argc, char** argv, char** environment);

}  // namespace inferd::server
