#include "server/jobs/registry.hpp"

#include <algorithm>
#include <array>

// Every kind defines plimsoll::jobs::<folder>::contract().
#define PLIMSOLL_KIND(folder)          \
    namespace plimsoll::jobs::folder { \
    const Contract& contract();        \
    }
#include "server/jobs/kinds.inc"
#undef PLIMSOLL_KIND

namespace plimsoll::jobs {

std::span<const Contract> contracts() {
    static const std::array all = {
#define PLIMSOLL_KIND(folder) folder::contract(),
#include "server/jobs/kinds.inc"
#undef PLIMSOLL_KIND
    };
    return all;
}

const Contract* find_contract(std::string_view name) {
    const auto found = std::ranges::find(contracts(), name, &Contract::name);
    return found == contracts().end() ? nullptr : &*found;
}

}  // namespace plimsoll::jobs
