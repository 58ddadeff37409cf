#include "server/base/time.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using namespace std::chrono;

TEST(Rfc3339, WritesUtcWithMilliseconds) {
    const Timestamp time = sys_days(2024y / February / 29) + hours(23) + minutes(59) + seconds(7) +
                           microseconds(89'999);
    EXPECT_EQ(to_rfc3339(time), "2024-02-29T23:59:07.089Z");
    EXPECT_EQ(to_rfc3339(Timestamp{}), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(to_rfc3339(Timestamp{} - microseconds(1)), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace plimsoll
