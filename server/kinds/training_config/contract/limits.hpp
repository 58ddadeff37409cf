#pragma once

#include <cstdint>
#include <string_view>

namespace plimsoll::jobs::training_config {

inline constexpr std::string_view kName = "training-config";
inline constexpr int kVersion = 2;

// Bounds that keep one card's report well below a second, and products of dimensions within 64
// bits.
inline constexpr int kMaxLayers = 160;  // over all channels
inline constexpr std::int64_t kMaxTokensPerSample = 1 << 20;
inline constexpr std::int64_t kMaxTokens = 1 << 26;  // of a batch requested by the caller

// A stored timeline or curve is thinned to this many points: a card's part of the report must stay
// below 64 KiB.
inline constexpr std::size_t kTimelinePoints = 320;

// Replaces the card in the task and its row if a device is measured.
inline constexpr std::string_view kProbe = "probe";

// Layers times cards (nine times that with what-ifs) that are estimated while a caller waits: about
// a third of a second.
inline constexpr std::int64_t kMaxWorkAtOnce = 1024;

}  // namespace plimsoll::jobs::training_config
