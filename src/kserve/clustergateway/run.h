#pragma once

namespace inferd::clustergateway {

// Runs the program inferd-gateway. Returns its exit status: 0, 1 (it could not serve), 2 (invalid arguments).
int Run(int argc, char** argv);

}  // namespace inferd::clustergateway
