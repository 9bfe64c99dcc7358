#include "controller/run.h"

int main(int argc, char** argv) { return inferd::controller::Run(argc, argv); }
