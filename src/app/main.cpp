// The `cairn` program.
#include <iostream>

#include "app/command.hpp"

int main(int argc, char** argv) { return cairn::runCommand({argv + 1, argv + argc}, std::cout, std::cerr); }
