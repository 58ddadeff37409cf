#include "server/cli/usage_error.hpp"

#include <string>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace plimsoll::cli {
namespace {

using ::testing::HasSubstr;

std::string wrong(const std::string& line) {
    CLI::App app("", "plimsoll");
    app.require_subcommand(1);
    int port = 0;
    auto* serve = app.add_subcommand("serve", "");
    serve->add_option("--port", port, "");
    auto* queue = app.add_subcommand("queue", "");
    queue->require_subcommand(1);
    queue->add_subcommand("share", "")->add_option("team")->required();
    try {
        app.parse(line);
    } catch (const CLI::ParseError& error) {
        return usage_error(app, error).message;
    }
    return "right";
}

TEST(UsageError, NamesTheMistakeAndSuggestsACorrection) {
    EXPECT_EQ(wrong("serv"),
              "`plimsoll` has no command \"serv\". Did you mean \"serve\"? See `plimsoll --help`.");
    EXPECT_EQ(wrong("serve --prot 7395"),
              "`plimsoll serve` has no flag --prot. Did you mean \"--port\"? See `plimsoll serve "
              "--help`.");
    EXPECT_EQ(wrong("serve now"),
              "`plimsoll serve` takes no further argument, \"now\". See "
              "`plimsoll serve --help`.");
    EXPECT_EQ(wrong("queue"), "`plimsoll queue` needs a command. See `plimsoll queue --help`.");
    EXPECT_EQ(wrong("queue xyz"),
              "`plimsoll queue` has no command \"xyz\". See `plimsoll queue "
              "--help`.");
    EXPECT_THAT(wrong("queue share"), HasSubstr("team is required"));
    EXPECT_THAT(wrong("serve --port x"), HasSubstr("--port"));
}

std::string listing(const std::string& line, bool named) {
    CLI::App app("", "plimsoll");
    app.require_subcommand(1);
    auto* group = app.add_subcommand("queue", "");
    group->require_subcommand(1);
    group->add_subcommand("pause", "");
    auto* show = group->add_subcommand("show", "")->add_option("name");
    if (named) show->required();
    try {
        app.parse(line);
    } catch (const CLI::ParseError& error) {
        return listing_command(app, error);
    }
    return "right";
}

TEST(ListingCommand, IsWhatAGroupAloneStandsFor) {
    EXPECT_EQ(listing("queue", false), "show");
    EXPECT_EQ(listing("queue", true), "");
    EXPECT_EQ(listing("queue xyz", false), "");
    EXPECT_EQ(listing("", false), "");
    EXPECT_EQ(listing("queue pause", false), "right");
}

}  // namespace
}  // namespace plimsoll::cli
