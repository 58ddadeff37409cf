#include "server/cli/cli.hpp"

int main(int argc, char** argv) {
    return plimsoll::app::run(argc, argv);
}
