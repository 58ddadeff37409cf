#include "server/jobs/registry.hpp"
#include "server/jobs/task_log.hpp"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace plimsoll::jobs {
namespace {

TEST(Registry, EveryContractHasARunOfTheSameNameAndVersion) {
    ASSERT_FALSE(contracts().empty());
    EXPECT_EQ(contracts().size(), runs().size());
    for (const Contract& contract : contracts()) {
        const jobs::Run* run = find_run(contract.name, contract.version);
        ASSERT_NE(run, nullptr) << contract.name;
        EXPECT_NE(run->run, nullptr);
        EXPECT_NE(run->merge, nullptr);
        EXPECT_NE(contract.plan, nullptr);
        EXPECT_NE(contract.failed_rows, nullptr);
        EXPECT_FALSE(contract.columns.empty());
        EXPECT_EQ(find_contract(contract.name), &contract);
    }
}

TEST(Registry, NamesAreUniqueAndUnknownOnesAreNotFound) {
    std::set<std::string_view> names;
    for (const Contract& contract : contracts()) EXPECT_TRUE(names.insert(contract.name).second);
    EXPECT_EQ(find_contract("no-such-kind"), nullptr);
    EXPECT_EQ(find_run("sentiment", 0), nullptr);
}

using namespace std::chrono_literals;

TEST(TaskLog, ALineIsOneLineWhateverItIsMadeOf) {
    EXPECT_EQ(to_log_text("calm\r\n2026-01-01 error\tforged"), "calm  2026-01-01 error forged");
    EXPECT_EQ(to_log_text("\x1b[31mred\x7f"), " [31mred ");
    EXPECT_EQ(to_log_text("a\xc2\x9b"
                          "b\xe2\x80\xa8"
                          "c\xe2\x80\xae"
                          "d\xef\xbb\xbf"
                          "e"),
              "a b c d e");
    EXPECT_EQ(to_log_text("caf\xc3\xa9 \xf0\x9f\x9a\xa2"), "caf\xc3\xa9 \xf0\x9f\x9a\xa2");
    // A lone byte, one character cut short, an overlong one, half a pair.
    EXPECT_EQ(
        to_log_text("\xff|\xe2\x82|\xc0\xaf|\xed\xa0\x80"),
        "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(to_log_text(std::string("a\0b", 3)), "a b");
}

TEST(TaskLog, ALineIsCutBetweenCharacters) {
    EXPECT_EQ(to_log_text("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xc3\xa9…");
    EXPECT_EQ(to_log_text("abc", 3), "abc");
}

TEST(TaskLog, KeepsTheFirstLinesAndCountsTheOthers) {
    TaskLog log;
    EXPECT_TRUE(log.last().empty());
    for (int i = 0; i < TaskLog::kMax + 7; ++i) log.say(LogLevel::info, std::to_string(i));
    const auto lines = log.last();
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(TaskLog::kMax) + 1);
    EXPECT_EQ(lines[0].number, 1);
    EXPECT_EQ(lines[TaskLog::kMax - 1].text, std::to_string(TaskLog::kMax - 1));
    EXPECT_EQ(lines.back().number, TaskLog::kMax + 1);
    EXPECT_EQ(lines.back().text, "Lines left out: 7.");
}

TEST(TaskLog, WhatWasSentIsNotSentAgain) {
    TaskLog log;
    log.say(LogLevel::info, "first");
    log.say(LogLevel::warning, "second");
    ASSERT_EQ(log.unsent().size(), 2U);
    log.mark_sent(1);
    log.say(LogLevel::error, "third");
    const auto lines = log.last();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].text, "second");
    EXPECT_EQ(lines[1].number, 3);
    EXPECT_EQ(lines[1].level, LogLevel::error);
}

TEST(TaskLog, AllTasksOfAWorkerShareABudget) {
    LogBudget budget;
    const LogBudget::Clock::time_point start{1h};
    int taken = 0;
    while (budget.take(start)) ++taken;
    EXPECT_EQ(taken, 500);
    EXPECT_FALSE(budget.take(start + 10ms));
    EXPECT_TRUE(budget.take(start + 31ms));
    EXPECT_FALSE(budget.take(start + 31ms));
    for (taken = 0; budget.take(start + 1h); ++taken) {
    }
    EXPECT_EQ(taken, 500);

    TaskLog log;
    LogBudget spent;
    while (spent.take(LogBudget::Clock::now() + 1h)) {
    }
    log.limit_by(&spent);
    log.say(LogLevel::info, "beyond the budget");
    ASSERT_EQ(log.last().size(), 1U);
    EXPECT_EQ(log.last()[0].text, "Lines left out: 1.");
}

TEST(TaskLog, FailedItemsAreSummedUpByReason) {
    EXPECT_EQ(failed_summary({{"too_long", 1}, {"empty_text", 2}}, 100, "texts"),
              "3 of 100 texts failed: empty_text (2), too_long (1).");
}

}  // namespace

}  // namespace plimsoll::jobs
