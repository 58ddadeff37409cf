#pragma once

namespace plimsoll::cli {

// Parses the command line and runs the command; catches every exception.
int run(int argc, char** argv);

}  // namespace plimsoll::cli
