#pragma once

namespace plimsoll::jobs::training_config {

inline constexpr double kMiB = 1024.0 * 1024;
inline constexpr double kGiB = 1024.0 * kMiB;

}  // namespace plimsoll::jobs::training_config
