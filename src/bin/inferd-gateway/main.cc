#include "kserve/clustergateway/run.h"

int main(int argc, char** argv) { return inferd::clustergateway::Run(argc, argv); }
