#include "kserve/agent/run.h"

int main(int argc, char** argv) { return inferd::agent::Run(argc, argv); }
