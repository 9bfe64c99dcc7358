#pragma once

namespace inferd::clustergateway {

// The program inferd-gateway. Returns its exit status: 0, 1 (it could not serve), 2 (its arguments).
int Run(int argc, char** argv);

}  // namespace inferd::clustergateway
