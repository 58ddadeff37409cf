#include "server/base/tracing.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace plimsoll::tracing {
namespace {

constexpr const char* kSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr const char* kNotSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

Gathered gathered() {
    std::stop_source stop;
    stop.request_stop();
    return gather(stop.get_token());
}

struct Tracing : testing::Test {
    void SetUp() override {
        gathered();
        start(100);
    }
    void TearDown() override { stop(); }
};

TEST_F(Tracing, ARequestIsBelowItsCallerIfThatIsSampled) {
    const auto caller = parse_traceparent(kSampled);
    ASSERT_TRUE(caller);
    EXPECT_EQ(trace_id(caller->context), "0af7651916cd43dd8448eb211c80319c");
    EXPECT_EQ(caller->context.span, 0xb7ad6b7169203331);
    const auto span = enter(kSampled);
    EXPECT_EQ(span.context.trace, caller->context.trace);
    EXPECT_EQ(span.parent, caller->context.span);
    EXPECT_NE(span.context.span, span.parent);
    EXPECT_FALSE(enter(kNotSampled).context);
    EXPECT_EQ(enter("nonsense").parent, 0U);
    EXPECT_TRUE(enter("").context);
    start(0);
    EXPECT_FALSE(enter("").context);
    EXPECT_TRUE(enter(kSampled).context) << "its caller decides";
    stop();
    EXPECT_FALSE(enter(kSampled).context);
}

TEST_F(Tracing, AJobCarriesItsContextThroughTheQueue) {
    const Carried carried{enter(kSampled).context,
                          Timestamp(std::chrono::microseconds(1'790'000'000'123'456))};
    const auto bytes = pack(carried);
    EXPECT_EQ(bytes.size(), 32U);
    EXPECT_EQ(unpack(bytes).context, carried.context);
    EXPECT_EQ(unpack(bytes).ready, carried.ready);
    EXPECT_EQ(pack({}), "");
    EXPECT_FALSE(unpack("").context);
    EXPECT_FALSE(unpack(bytes + "more").context);
}

TEST_F(Tracing, SpansBeyondTheLimitAreCountedAndDropped) {
    const auto span = enter("");
    const std::string large(10'000, 'x');
    record(span, {.name = "much", .at = span.began}, {{"text", large}});
    const auto one = gathered().spans.size();
    for (int i = 0; i < 500; ++i)
        record(span, {.name = "much", .at = span.began}, {{"text", large}});
    const auto [spans, dropped] = gathered();
    EXPECT_LE(spans.size(), std::size_t{4} << 20);
    EXPECT_EQ(spans.size() / one + dropped, 500U);
    EXPECT_GT(dropped, 50U) << one;
    EXPECT_EQ(gathered().spans, "") << "they are handed out once";
    record({}, {.name = "none", .at = span.began}, {});
    stop();
    record(span, {.name = "late", .at = span.began}, {});
    EXPECT_EQ(gathered().spans, "");
}

}  // namespace
}  // namespace plimsoll::tracing
