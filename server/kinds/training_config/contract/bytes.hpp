#pragma once

#include <string>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {

inline constexpr double kMiB = 1024.0 * 1024;
inline constexpr double kGiB = 1024.0 * kMiB;

// "12.34 GiB".
inline std::string gib_text(double bytes) { return fmt::format("{:.2f} GiB", bytes / kGiB); }

}  // namespace plimsoll::jobs::training_config
