// Typical typing mistakes, each with what it must suggest out of all names that there are.
#include "engine/base/closest.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"
#include "engine/waves/settings/keys.hpp"
#include "server/cli/commands.hpp"
#include "server/jobs/command.hpp"
#include "server/jobs/registry.hpp"
#include "server/terminal/command_context.hpp"

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace plimsoll::cli {
namespace {

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
    for (const auto* word : {"frobnicate", "zzz", "kubernetes", "1234567"}) {
        for (const auto& [list, known] : names) {
            EXPECT_EQ(closest(word, known), std::nullopt) << list << " " << word;
        }
    }
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
