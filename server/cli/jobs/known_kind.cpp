#include "server/cli/jobs/known_kind.hpp"

#include "engine/base/closest.hpp"
#include "server/jobs/registry.hpp"

#include <vector>

namespace plimsoll::cli {

Result<void> check_kind(const std::string& kind) {
    std::string names;
    std::vector<std::string> known;
    for (const auto& contract : jobs::contracts()) {
        if (contract.name == kind) return {};
        names += (names.empty() ? "" : ", ") + std::string(contract.name);
        known.emplace_back(contract.name);
    }
    return fail(Errc::invalid_input, "There is no kind \"" + kind + "\"." +
                                         did_you_mean(kind, known) + " Kinds: " + names + ".");
}

}  // namespace plimsoll::cli
