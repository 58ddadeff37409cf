#pragma once

namespace plimsoll::app {

// Parses the command line and runs the command; the wall that stops every exception.
int run(int argc, char** argv);

}  // namespace plimsoll::app
