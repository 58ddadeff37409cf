#include "server/cli/cli.hpp"

int main(int argc, char** argv) { return plimsoll::cli::run(argc, argv); }
