#include "server/jobs/registry.hpp"

#include <algorithm>
#include <array>

// Every kind defines plimsoll::jobs::<folder>::kContract.
#define PLIMSOLL_KIND(folder)          \
    namespace plimsoll::jobs::folder { \
    extern const Contract kContract;   \
    }
#include "server/kinds/kinds.inc"
#undef PLIMSOLL_KIND

namespace plimsoll::jobs {

std::span<const Contract> contracts() {
    static const std::array all = {
#define PLIMSOLL_KIND(folder) folder::kContract,
#include "server/kinds/kinds.inc"
#undef PLIMSOLL_KIND
    };
    return all;
}

const Contract* find_contract(std::string_view name) {
    const auto found = std::ranges::find(contracts(), name, &Contract::name);
    return found == contracts().end() ? nullptr : &*found;
}

}  // namespace plimsoll::jobs
