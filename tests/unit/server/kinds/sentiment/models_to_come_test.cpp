// What a policy's next switches need.
#include "server/base/time.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::jobs::sentiment::models_to_come_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Manifest model(const std::string& name) {
    Manifest made;
    made.name = name;
    made.hash = std::string(64, name.front());
    return made;
}

std::int64_t moment(const std::string& text) {
    const auto time = parse_rfc3339(text).value().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

// Names of the models within `hours` of a time on the NYSE's calendar.
std::vector<std::string> to_come(const json& definition, const std::string& time, int hours) {
    const std::vector models{model("finbert"), model("distilbert")};
    const auto now = moment(time);
    auto chooser =
        Chooser::of(resolve("desk", parse_policy(definition).value(), models, now).value()).value();
    std::vector<std::string> names;
    const auto coming = chooser.models_to_come(now, now + hours * 3600).value();
    for (const auto& found : coming) names.push_back(found.name);
    return names;
}

// On a Monday with pre-market from 09:00 UTC, trading 14:30 to 21:00, after hours to 01:00.
TEST(ModelsToCome, AreThoseOfSwitchesWithinTheTime) {
    const json adaptive{{"model", "vader"},
                        {"rules", {{{"markets", {"open", "extended"}}, {"model", "distilbert"}}}}};
    EXPECT_THAT(to_come(adaptive, "2026-03-02T06:59:59Z", 2), IsEmpty());
    EXPECT_THAT(to_come(adaptive, "2026-03-02T07:00:01Z", 2), ElementsAre("distilbert"));
    EXPECT_THAT(to_come(adaptive, "2026-03-02T07:00:01Z", 0), IsEmpty());
    EXPECT_THAT(to_come(adaptive, "2026-03-02T09:00:00Z", 2), IsEmpty()) << "in use already";
    EXPECT_THAT(to_come(adaptive, "2026-03-02T14:00:00Z", 2), IsEmpty()) << "no switch of models";
    EXPECT_THAT(to_come(adaptive, "2026-03-03T00:30:00Z", 2), IsEmpty()) << "vader needs nothing";
    EXPECT_THAT(to_come(adaptive, "2026-02-28T08:00:00Z", 2), IsEmpty()) << "a Saturday";
}

TEST(ModelsToCome, AreThoseOfEverySourceThatARuleMayMatch) {
    const json desk{{"model", "vader"},
                    {"rules",
                     {{{"markets", {"open"}}, {"sources", {"businesswire"}}, {"model", "finbert"}},
                      {{"markets", {"open", "extended"}}, {"model", "distilbert"}},
                      {{"markets", {"open"}}, {"model", "finbert"}}}}};
    EXPECT_THAT(to_come(desk, "2026-03-02T08:00:00Z", 2), ElementsAre("distilbert"));
    EXPECT_THAT(to_come(desk, "2026-03-02T13:00:00Z", 2), ElementsAre("finbert"));
    EXPECT_THAT(to_come(desk, "2026-03-02T08:00:00Z", 7), ElementsAre("distilbert", "finbert"));
}

}  // namespace
}  // namespace plimsoll::jobs::sentiment::models_to_come_test
