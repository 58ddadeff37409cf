#include "server/advice/correction.hpp"

#include <gtest/gtest.h>

namespace plimsoll::advice {
namespace {

Measurement measured(std::int64_t id, const char* comparison_key, std::int64_t bytes) {
    Measurement m;
    m.id = {id};
    m.comparison_key = comparison_key;
    m.predicted_bytes = 1000;
    m.measured_bytes = bytes;
    return m;
}

TEST(Correction, IsTheMedianOfWhatIsAlike) {
    const auto c = correct({measured(5, "a", 1300), measured(4, "b", 9000), measured(3, "a", 1100),
                            measured(2, "a", 1000)},
                           "a");
    EXPECT_DOUBLE_EQ(c.factor, 1.1);
    ASSERT_EQ(c.evidence.size(), 3u);
    EXPECT_EQ(c.evidence[0].id.value, 5);
    EXPECT_DOUBLE_EQ(correct({measured(1, "a", 900), measured(2, "a", 1000)}, "a").factor, 0.95);
}

TEST(Correction, IsNoneWithoutEvidenceAndBoundedWithAbsurdOne) {
    EXPECT_DOUBLE_EQ(correct({measured(1, "b", 1)}, "a").factor, 1);
    EXPECT_DOUBLE_EQ(correct({measured(1, "a", 1'000'000)}, "a").factor, 5);
    const std::vector<Measurement> many(30, measured(1, "a", 1200));
    EXPECT_EQ(correct(many, "a").evidence.size(), kMostEvidence);
}

}  // namespace
}  // namespace plimsoll::advice
