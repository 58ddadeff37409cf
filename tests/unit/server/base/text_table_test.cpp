#include "server/base/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using ::testing::ElementsAre;

const std::vector<std::vector<std::string>> kRows = {
    {"ID", "REASON", "STATE"},
    {"job_0123456789", "no device of this class is connected just now", "queued"},
    {"job_9876543210", "–", "running"}};

TEST(TextTable, IsAsWideAsNeededIfThereIsRoom) {
    EXPECT_EQ(table_text(kRows, 0),
              "ID              REASON                                         STATE\n"
              "job_0123456789  no device of this class is connected just now  queued\n"
              "job_9876543210  –                                              running\n");
}

TEST(TextTable, BreaksItsWidestCellsBetweenWords) {
    EXPECT_EQ(table_text(kRows, 50),
              "ID              REASON                     STATE\n"
              "job_0123456789  no device of this class    queued\n"
              "                is connected just now\n"
              "job_9876543210  –                          running\n");
}

TEST(TextTable, BecomesAListIfColumnsDoNotFit) {
    EXPECT_EQ(table_text(kRows, 30),
              "ID      job_0123456789\n"
              "REASON  no device of this\n"
              "        class is connected\n"
              "        just now\n"
              "STATE   queued\n"
              "\n"
              "ID      job_9876543210\n"
              "REASON  –\n"
              "STATE   running\n");
}

TEST(TextTable, LosesNoWordAndKeepsItsWidth) {
    for (std::size_t width = 24; width < 90; ++width) {
        const auto text = table_text(kRows, width);
        for (const auto* word : {"job_0123456789", "connected", "running", "–"})
            EXPECT_NE(text.find(word), std::string::npos) << width;
        std::size_t from = 0;
        for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
            EXPECT_LE(text_columns(text.substr(from, end - from)), width) << text;
            from = end + 1;
        }
    }
}

TEST(Wrapped, PutsALongWordOnItsOwnLine) {
    EXPECT_THAT(wrapped("a incomprehensible b", 5), ElementsAre("a", "incomprehensible", "b"));
    EXPECT_THAT(wrapped("", 5), ElementsAre(""));
    EXPECT_THAT(wrapped("a b", 0), ElementsAre("a b"));
}

}  // namespace
}  // namespace plimsoll
