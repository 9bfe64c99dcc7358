#include "server/run.h"

int main(int argc, char** argv, char** environment) { return inferd::server::Run(argc, argv, environment); }
