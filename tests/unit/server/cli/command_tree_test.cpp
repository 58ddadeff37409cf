#include "server/cli/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace plimsoll::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class CommandTree : public ::testing::Test {
  protected:
    CommandTree() {
        app_.add_flag("--json", json_, "Print JSON");
        auto* queue = app_.add_subcommand("queue", "The team's queue");
        auto* share = queue->add_subcommand("share", "Replace a share");
        share->add_option("team", team_, "The team")->required();
        share->add_option("--weight,-w", weight_, "Its weight");
        share->add_option("--hidden", weight_, "Nobody's")->group("");
        share->add_option_group("what", "one")->add_option("--class", weight_, "A class");
    }
    double weight_ = 1;
    bool json_ = false;
    std::string team_;
    CLI::App app_{"Does things.", "plimsoll"};
};

TEST_F(CommandTree, HoldsEveryCommandListedInHelp) {
    const auto all = command_tree(app_);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].path, "");
    EXPECT_THAT(all[0].commands, ElementsAre("queue"));
    EXPECT_EQ(all[2].path, "queue share");
    std::string names;
    for (const auto& option : all[2].options) names += option.names + " ";
    EXPECT_THAT(names, HasSubstr("team"));
    EXPECT_THAT(names, HasSubstr("--weight"));
    EXPECT_THAT(names, HasSubstr("--class"));
    EXPECT_THAT(names, Not(HasSubstr("--hidden")));
}

TEST_F(CommandTree, CompletesInEveryShell) {
    const auto all = command_tree(app_);
    EXPECT_THAT(completion_script(all, "bash"), HasSubstr("'queue share') echo '"));
    EXPECT_THAT(completion_script(all, "zsh"), HasSubstr("bashcompinit"));
    EXPECT_THAT(completion_script(all, "fish"),
                HasSubstr("-n '__fish_use_subcommand' -f -a queue -d 'The team\\'s queue'"));
    EXPECT_THAT(completion_script(all, "fish"),
                HasSubstr("'__fish_seen_subcommand_from queue; and __fish_seen_subcommand_from "
                          "share' -l weight -r -d 'Its weight'"));
}

TEST_F(CommandTree, MakesAManualPage) {
    const auto page = manual_page(command_tree(app_), "1.0.0");
    EXPECT_THAT(page, HasSubstr(".TH PLIMSOLL 1"));
    EXPECT_THAT(page, HasSubstr(".SS plimsoll queue share"));
    EXPECT_THAT(page, HasSubstr("\\-\\-weight"));
    EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS"));
}

TEST_F(CommandTree, DescribesItselfToPrograms) {
    const auto text = description_json(command_tree(app_));
    EXPECT_THAT(text, HasSubstr(R"("command": "queue share")"));
    EXPECT_THAT(text, HasSubstr(R"("names": "-w,--weight")"));
    EXPECT_THAT(text, HasSubstr(R"("required": true)"));
    EXPECT_THAT(text, HasSubstr(R"("exit_status": "Exit status:)"));
}

}  // namespace
}  // namespace plimsoll::cli
