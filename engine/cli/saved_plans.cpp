#include "engine/cli/saved_plans.hpp"

#include <cstdio>

namespace plimsoll::cli {

void read_plans(tuning::Plans& plans, const std::filesystem::path& file) {
    const auto read = plans.read(file);
    if (read || read.error().code == Errc::not_found) return;
    std::fprintf(stderr, "plimsoll-engine: %s %s is not used.\n", read.error().message.c_str(),
                 file.c_str());
}

}  // namespace plimsoll::cli
