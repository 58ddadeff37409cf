#include "server/jobs/command.hpp"

#include <algorithm>
#include <array>

// kinds_with_command.inc is made by the build: the lines of kinds.inc whose folder has a command/.
#define PLIMSOLL_KIND(folder)          \
    namespace plimsoll::jobs::folder { \
    extern const Command kCommand;     \
    }
#include "server/kinds/kinds_with_command.inc"
#undef PLIMSOLL_KIND

namespace plimsoll::jobs {

std::span<const Command> commands() {
    static const std::array all = {
#define PLIMSOLL_KIND(folder) folder::kCommand,
#include "server/kinds/kinds_with_command.inc"
#undef PLIMSOLL_KIND
    };
    return all;
}

const Command* find_command(std::string_view kind) {
    const auto found = std::ranges::find(commands(), kind, &Command::kind);
    return found == commands().end() ? nullptr : &*found;
}

}  // namespace plimsoll::jobs
