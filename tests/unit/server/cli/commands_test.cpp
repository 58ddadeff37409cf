#include "server/cli/commands.hpp"

#include "server/jobs/command.hpp"
#include "server/jobs/registry.hpp"
#include "server/terminal/command_context.hpp"

#include <set>
#include <string>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace plimsoll::cli {
namespace {

// The program with its own commands and those of the kinds.
struct Program {
    CommandContext context;
    CLI::App app;

    Program() {
        for (const auto& group : kGroups) {
            for (auto* add : group.commands) add(app, context);
        }
        for (const auto& kind : jobs::commands()) {
            if (kind.add_local != nullptr) kind.add_local(app, context);
            if (kind.add != nullptr) kind.add(app, context);
        }
    }
};

TEST(Commands, AddOneCommandEach) {
    CommandContext context;
    for (const auto& group : kGroups) {
        for (auto* add : group.commands) {
            CLI::App app;
            add(app, context);
            EXPECT_EQ(app.get_subcommands({}).size(), 1U);
        }
    }
}

TEST(Commands, AllHaveADescription) {
    Program program;
    for (const auto* command : program.app.get_subcommands({})) {
        EXPECT_FALSE(command->get_description().empty()) << command->get_name();
    }
}

TEST(Commands, OfKindsAreOfKindsThatHaveAContract) {
    std::set<std::string_view> seen;
    EXPECT_FALSE(jobs::commands().empty());
    for (const auto& kind : jobs::commands()) {
        EXPECT_NE(jobs::find_contract(kind.kind), nullptr) << kind.kind;
        EXPECT_TRUE(seen.insert(kind.kind).second) << kind.kind << " is listed twice";
        EXPECT_EQ(jobs::find_command(kind.kind), &kind);
    }
    EXPECT_EQ(jobs::find_command("no such kind"), nullptr);
}

TEST(Commands, KeepTheirOptionsUntilTheyRun) {
    Program program;
    program.app.parse("schedules next @daily --after 2026-03-01T12:00:00Z --count 1");
    EXPECT_EQ(program.context.exit_code, 0);
    program.app.parse("schedules next nonsense");
    EXPECT_EQ(program.context.exit_code, 2);
}

}  // namespace
}  // namespace plimsoll::cli
