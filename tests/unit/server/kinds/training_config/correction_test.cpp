#include "server/kinds/training_config/contract/measurement.hpp"

#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

// Of a run that was predicted to take 1000 bytes.
TeamRecord measured(std::int64_t id, const char* comparison_key, std::int64_t bytes) {
    TeamRecord record;
    record.id = std::to_string(id);
    record.section = comparison_key;
    record.data = nlohmann::json{{"gpu", {{"name", "Tesla T4"}, {"id", "t4"}}},
                                 {"model", "bert-base"},
                                 {"batch", 8},
                                 {"predicted", {{"peak_reserved_bytes", 1000}}},
                                 {"measured", {{"peak_reserved_bytes", bytes}}}}
                      .dump();
    return record;
}

TEST(Correction, IsTheMedianOfComparableRuns) {
    const auto c = correct({measured(5, "a", 1300), measured(4, "b", 9000), measured(3, "a", 1100),
                            measured(2, "a", 1000)},
                           "a");
    EXPECT_DOUBLE_EQ(c.factor, 1.1);
    ASSERT_EQ(c.evidence.size(), 3u);
    EXPECT_EQ(c.evidence[0]["id"], public_id("meas", 5));
    EXPECT_EQ(c.evidence[0]["measured_bytes"], 1300);
    EXPECT_DOUBLE_EQ(correct({measured(1, "a", 900), measured(2, "a", 1000)}, "a").factor, 0.95);
}

TEST(Correction, IsNoneWithoutMeasurementsAndBoundedWithAbsurdOnes) {
    EXPECT_DOUBLE_EQ(correct({measured(1, "b", 1)}, "a").factor, 1);
    EXPECT_DOUBLE_EQ(correct({measured(1, "a", 1'000'000)}, "a").factor, 5);
    const std::vector<TeamRecord> many(30, measured(1, "a", 1200));
    EXPECT_EQ(correct(many, "a").evidence.size(), kMaxEvidence);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
