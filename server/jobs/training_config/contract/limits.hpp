#pragma once

#include <cstdint>
#include <string_view>

namespace plimsoll::jobs::training_config {

inline constexpr std::string_view kName = "training-config";
inline constexpr int kVersion = 2;

// Bounds that keep one card's report well below a second, and products of dimensions in 64 bits.
inline constexpr int kMostLayers = 160;  // of all channels together
inline constexpr std::int64_t kMostTokensPerSample = 1 << 20;
inline constexpr std::int64_t kMostTokens = 1 << 26;  // of a batch that the caller fixes

// A stored timeline or curve is thinned to so many points: a card's share of the report has to stay
// below 64 KiB.
inline constexpr std::size_t kTimelinePoints = 320;

// What stands for a card where a device is measured, in the task and its row.
inline constexpr std::string_view kProbe = "probe";

// Layers times cards (nine times that with what-ifs) that are estimated while a caller waits: about
// a third of a second.
inline constexpr std::int64_t kMostWorkAtOnce = 1024;

}  // namespace plimsoll::jobs::training_config
