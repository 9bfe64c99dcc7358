#pragma once

namespace inferd::server {

// Runs the program inferd: reads the options, serves until SIGTERM or SIGINT, and drains. Returns the exit status: 0
// after an orderly end, 1 if the start or the drain failed, 2 for invalid options. A second signal during the drain
// ends the process at once.
int Run(int argc, char** argv, char** environment);

}  // namespace inferd::server
