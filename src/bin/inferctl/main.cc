#include <iostream>

#include "ctl/command_line.h"

int main(int argc, char** argv) { return inferd::ctl::RunInferctl(argc, argv, std::cout, std::cerr); }
