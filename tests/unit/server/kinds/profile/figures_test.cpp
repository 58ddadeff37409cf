// What a report says of measurements.
#include "server/kinds/profile/run/figures.hpp"

#include <string>

#include <gmock/gmock.h>

namespace plimsoll::jobs::profile {
namespace {

using testing::StartsWith;

// Of a second queue that makes copying and computing so much faster.
nlohmann::ordered_json overlap_of(double speedup, bool own_memory, bool enabled) {
    profiling::Overlap overlap;
    overlap.compute.median = overlap.copy.median = speedup;
    overlap.both.median = 2;
    return overlap_json(overlap, own_memory, enabled);
}

TEST(ProfileFigures, ASecondQueueIsRecommendedAboveTheGuidesGain) {
    for (const bool enabled : {false, true}) {
        EXPECT_EQ(overlap_of(1.11, true, enabled).at("recommended"), true);
        EXPECT_EQ(overlap_of(1.1, true, enabled).at("recommended"), false);
        EXPECT_EQ(overlap_of(0.97, true, enabled).at("recommended"), false);
        EXPECT_EQ(overlap_of(1.5, true, enabled).at("enabled"), enabled);
    }
}

TEST(ProfileFigures, RecommendASecondQueueOrNone) {
    const auto note = [](double speedup, bool own_memory, bool enabled) {
        return overlap_of(speedup, own_memory, enabled).at("note").get<std::string>();
    };
    EXPECT_THAT(note(1.5, true, false), StartsWith("Turn FEATURE_CUDA_STREAMS on"));
    EXPECT_THAT(note(1.5, true, true), StartsWith("FEATURE_CUDA_STREAMS is on"));
    EXPECT_THAT(note(1.0, true, true), StartsWith("Turn FEATURE_CUDA_STREAMS off"));
    EXPECT_THAT(note(1.0, true, false), StartsWith("Leave FEATURE_CUDA_STREAMS off"));
}

TEST(ProfileFigures, ADeviceThatReadsTheHostsMemoryNeedsNoSecondQueue) {
    const auto overlap = overlap_of(1.5, false, false);
    EXPECT_EQ(overlap.at("recommended"), false);
    EXPECT_THAT(overlap.at("note").get<std::string>(),
                StartsWith("FEATURE_CUDA_STREAMS has no effect"));
}

}  // namespace
}  // namespace plimsoll::jobs::profile
