#include "server/app/engine_process.hpp"
#include "server/cli/commands.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace plimsoll::app {

int run_engine(const Settings& settings) {
    const auto& url =
        settings.database.worker_url.empty() ? settings.database.url : settings.database.worker_url;
    if (url.empty()) {
        std::fputs(
            "Error: workers need database.worker_url (PLIMSOLL_DATABASE_WORKER_URL): the database "
            "of the "
            "server that they work for.\n",
            stderr);
        return 2;
    }
    setenv("PLIMSOLL_DATABASE_WORKER_URL", url.c_str(), 1);
    export_worker_env(settings);
    const auto program = sibling_program("plimsoll-engine");
    execl(program.c_str(), program.c_str(), "supervise", nullptr);
    std::fprintf(stderr, "Error: %s cannot be started: %s.\n", program.c_str(),
                 std::strerror(errno));
    return 2;
}

}  // namespace plimsoll::app
