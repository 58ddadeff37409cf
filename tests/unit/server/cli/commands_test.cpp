#include "server/cli/commands.hpp"

#include "engine/base/closest.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"
#include "engine/waves/settings/keys.hpp"
#include "server/cli/command_tree.hpp"
#include "server/jobs/command.hpp"
#include "server/jobs/registry.hpp"
#include "server/terminal/command_context.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// The program with its own commands and those of the kinds.
struct Program {
    CommandContext context;
    CLI::App app;

    Program() {
        for (const auto& group : kGroups)
            for (auto* add : group.commands) add(app, context);
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
    for (const auto* command : program.app.get_subcommands({}))
        EXPECT_FALSE(command->get_description().empty()) << command->get_name();
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
    EXPECT_THROW(program.app.parse("schedules next nonsense"), terminal::Refused);
}

// Typical typing mistakes, each with what it must suggest out of all names that there are.

using Names = std::vector<std::string>;

Names command_names() {
    CommandContext context;
    CLI::App app;
    for (const auto& group : kGroups)
        for (auto* add : group.commands) add(app, context);
    for (const auto& kind : jobs::commands()) {
        if (kind.add_local != nullptr) kind.add_local(app, context);
        if (kind.add != nullptr) kind.add(app, context);
    }
    Names names;
    for (const auto* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

std::map<std::string, Names> all_names() {
    std::map<std::string, Names> all{{"command", command_names()}};
    for (const auto& card : training::shipped_gpus()) all["card"].push_back(card.id);
    for (const auto& kind : jobs::contracts()) all["kind"].emplace_back(kind.name);
    for (const auto name : waves::preset_names()) all["waves preset"].emplace_back(name);
    for (const auto& key : waves::all_keys()) all["waves key"].emplace_back(key.name);
    all["column"] = {"date", "open", "high", "low", "close", "volume", "symbol"};
    all["text column"] = {"headline", "published_at", "region", "customer_id"};
    all["team"] = {"research", "platform", "trading-emea", "trading-us"};
    all["model"] = {"vader", "finbert", "distilbert", "roberta", "twitter-roberta"};
    return all;
}

struct Typo {
    const char* list;
    const char* typed;
    const char* meant;
};

constexpr Typo kTypos[] = {
    {"command", "estimat", "estimate"},
    {"command", "sumbit", "submit"},
    {"command", "lgoin", "login"},
    {"command", "shedules", "schedules"},
    {"command", "webhook", "webhooks"},
    {"command", "dataset", "datasets"},
    {"command", "who-am-i", "whoami"},
    {"command", "docter", "doctor"},
    {"command", "gpu-profile", "gpu-profiles"},
    {"card", "RTX 3090", "rtx_3090"},
    {"card", "rtx3009", "rtx_3090"},
    {"card", "rtx-490", "rtx_4090"},
    {"card", "A100 80G", "a100_80gb"},
    {"card", "h100-80g", "h100_80gb"},
    {"kind", "sentimet", "sentiment"},
    {"kind", "training", "training-config"},
    {"kind", "wave", "waves"},
    {"kind", "profiles", "profile"},
    {"waves preset", "hihg-perf", "high-perf"},
    {"waves preset", "defualt", "default"},
    {"waves key", "max_window", "max_windows"},
    {"waves key", "topn", "top_n"},
    {"column", "Close ", "close"},
    {"column", "opne", "open"},
    {"text column", "headlines", "headline"},
    {"text column", "customerid", "customer_id"},
    {"team", "reserach", "research"},
    {"team", "trading emea", "trading-emea"},
    {"model", "finbret", "finbert"},
    {"model", "distillbert", "distilbert"},
};

TEST(Typos, ThirtyTypicalOnesGetTheRightSuggestion) {
    const auto names = all_names();
    EXPECT_EQ(std::size(kTypos), 30U);
    for (const Typo& typo : kTypos) {
        EXPECT_EQ(closest(typo.typed, names.at(typo.list)), typo.meant)
            << typo.list << " " << typo.typed;
    }
}

TEST(Typos, OfCardsSuggestAllWithThatPrefix) {
    const auto names = all_names();
    EXPECT_EQ(did_you_mean("h10", names.at("card")),
              " Did you mean \"h100_80gb\", \"h100_pcie\" or \"h100_94gb\"?");
    EXPECT_EQ(closest("h20", names.at("card")), "h20");
    EXPECT_EQ(did_you_mean("rtx", names.at("card")), "");
}

TEST(Typos, OtherWordsSuggestNothing) {
    const auto names = all_names();
    for (const auto* word : {"frobnicate", "zzz", "kubernetes", "1234567"})
        for (const auto& [list, known] : names)
            EXPECT_EQ(closest(word, known), std::nullopt) << list << " " << word;
}

TEST(Typos, OfPresetsSuggestThePublishedNameAndTheSize) {
    const auto message = [](const char* typed) { return training::preset(typed).error().message; };
    const auto suggests = [&](const char* typed, const std::string& meant) {
        return message(typed).find("Did you mean \"" + meant + "\"?") != std::string::npos;
    };
    EXPECT_TRUE(suggests("llama-3-8bb", "llama-3-8b")) << message("llama-3-8bb");
    EXPECT_TRUE(suggests("llama3-8b-instruct", "llama-3-8b")) << message("llama3-8b-instruct");
    EXPECT_TRUE(suggests("bert-bas", "bert-base")) << message("bert-bas");
    EXPECT_TRUE(suggests("gpt-2", "gpt2")) << message("gpt-2");
    EXPECT_TRUE(suggests("qwen3-8", "qwen3-8b")) << message("qwen3-8");
    EXPECT_EQ(training::preset("llama-3-8b").value().name, "llama-8b");
}

}  // namespace

}  // namespace plimsoll::cli
