// The `cairn-bench` program, which `cairn bench` runs.
#include <iostream>

#include "program.hpp"

int main(int argc, char** argv) { return cairn::bench::runBench({argv + 1, argv + argc}, std::cout, std::cerr); }
