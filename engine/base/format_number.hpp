#pragma once

#include <cstdint>
#include <string>

// Numbers for people, in English.
namespace plimsoll {

std::string format_count(std::int64_t count);  // 1,234,567
// A measured value with three significant digits, or all digits before the point: 0.00281, 4, 28.1,
// 4,228,784.
std::string format_figure(double value);

}  // namespace plimsoll
