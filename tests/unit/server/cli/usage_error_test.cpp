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
    int count = 0;
    auto* serve = app.add_subcommand("serve", "");
    serve->add_option("--port", port, "")->check(CLI::Range(0, 99));
    serve->add_option("--count", count, "");
    serve->add_option("--mode")->check(CLI::IsMember({"fast", "slow"}));
    serve->add_option("--file")->check(CLI::ExistingFile);
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
              "`plimsoll serve` does not accept the argument \"now\". See "
              "`plimsoll serve --help`.");
    EXPECT_EQ(wrong("queue"), "`plimsoll queue` needs a command. See `plimsoll queue --help`.");
    EXPECT_EQ(wrong("queue xyz"),
              "`plimsoll queue` has no command \"xyz\". Commands: share. See `plimsoll queue "
              "--help`.");
    EXPECT_THAT(wrong("queue share"), HasSubstr("team is required"));
}

TEST(UsageError, SaysWhichValuesAFlagTakes) {
    const auto begins = [](const char* text) { return ::testing::StartsWith(text); };
    EXPECT_THAT(wrong("serve --port x"), begins("--port: must be from 0 to 99, not x. See "));
    EXPECT_THAT(wrong("serve --port 100"), begins("--port: must be from 0 to 99, not 100. See "));
    EXPECT_THAT(wrong("serve --port"), begins("--port needs a value. See "));
    EXPECT_THAT(wrong("serve --mode fas"),
                begins("--mode: must be one of fast, slow, not \"fas\". Did you mean \"fast\"?"));
    EXPECT_THAT(wrong("serve --file /nowhere"), begins("--file: there is no file /nowhere. See "));
    EXPECT_THAT(wrong("serve --file /"), begins("--file: / is a folder, not a file. See "));
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

TEST(ListingCommand, RunsIfAGroupIsGivenAlone) {
    EXPECT_EQ(listing("queue", false), "show");
    EXPECT_EQ(listing("queue", true), "");
    EXPECT_EQ(listing("queue xyz", false), "");
    EXPECT_EQ(listing("", false), "");
    EXPECT_EQ(listing("queue pause", false), "right");
}

}  // namespace
}  // namespace plimsoll::cli
