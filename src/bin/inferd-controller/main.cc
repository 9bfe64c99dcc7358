#include "kserve/local/run.h"

int main(int argc, char** argv) { return inferd::local::Run(argc, argv); }
