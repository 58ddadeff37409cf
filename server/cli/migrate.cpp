#include "server/app/database.hpp"
#include "server/cli/commands.hpp"
#include "server/postgres/schema/migrator.hpp"

#include <cstdio>

namespace plimsoll::app {

int migrate(const Settings& settings) {
    auto database = Database::open(settings);
    if (database && !(*database)->can_migrate()) {
        database =
            fail(Errc::invalid_input,
                 "Set database.migrate_url (PLIMSOLL_DATABASE_MIGRATE_URL): a role that may create "
                 "roles and schemas.");
    }
    if (!database) {
        std::fprintf(stderr, "Error: %s\n", database.error().message.c_str());
        return 2;
    }
    const auto report = postgres::migrate((*database)->migrator());
    if (!report) {
        std::fprintf(stderr, "Error: %s\n", report.error().message.c_str());
        return 1;
    }
    std::printf("Schema version %d, was %d. %d functions written.\n", report->after, report->before,
                report->functions);
    if (report->newer_functions) {
        std::printf("The functions are of a newer plimsoll, and were left alone.\n");
    }
    return 0;
}

}  // namespace plimsoll::app
