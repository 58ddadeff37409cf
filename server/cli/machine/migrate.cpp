#include "server/app/database.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/postgres/schema/migrator.hpp"
#include "server/postgres/schema/session.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

int migrate(const CommandContext& context, const app::Settings& settings) {
    const auto database = need(app::Database::open(settings), terminal::ExitStatus::usage);
    if (!database->can_migrate()) {
        throw Refused(Errc::invalid_input,
                      "Set database.migrate_url (PLIMSOLL_DATABASE_MIGRATE_URL) to a role that "
                      "may create roles and schemas.");
    }
    const auto report = need(postgres::migrate(database->migrator()), terminal::ExitStatus::failed);
    nlohmann::json unsuitable = nlohmann::json::array();
    if (const auto found = postgres::examine(database->app()))
        for (const auto& [what, fatal] : *found) unsuitable.push_back(what);
    if (context.json) {
        const nlohmann::json told{{"version", report.after},
                                  {"before", report.before},
                                  {"functions", report.functions},
                                  {"newer_functions", report.newer_functions},
                                  {"unsuitable", unsuitable}};
        context.terminal.line(told.dump(2));
        return 0;
    }
    std::printf("Schema version %d, was %d. %d functions written.\n", report.after, report.before,
                report.functions);
    if (report.newer_functions)
        std::printf("The functions are from a newer plimsoll and were not replaced.\n");
    for (const auto& what : unsuitable)
        std::printf("The database does not suit: %s\n", what.get_ref<const std::string&>().c_str());
    return 0;
}

}  // namespace

void add_migrate(CLI::App& app, CommandContext& context) {
    add_settings_command(app, context, "migrate", "Migrate the database's schema", jobs::kMigrate,
                         migrate);
}

}  // namespace plimsoll::cli
