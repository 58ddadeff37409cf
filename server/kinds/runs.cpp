#include "server/jobs/registry.hpp"

#include <algorithm>
#include <array>

// Every kind defines plimsoll::jobs::<folder>::kRun.
#define PLIMSOLL_KIND(folder)          \
    namespace plimsoll::jobs::folder { \
    extern const Run kRun;             \
    }
#include "server/kinds/kinds.inc"
#undef PLIMSOLL_KIND

namespace plimsoll::jobs {

std::span<const Run> runs() {
    static const std::array all = {
#define PLIMSOLL_KIND(folder) folder::kRun,
#include "server/kinds/kinds.inc"
#undef PLIMSOLL_KIND
    };
    return all;
}

const Run* find_run(std::string_view name, int version) {
    const auto found = std::ranges::find_if(
        runs(), [&](const Run& run) { return run.name == name && run.version == version; });
    return found == runs().end() ? nullptr : &*found;
}

}  // namespace plimsoll::jobs
