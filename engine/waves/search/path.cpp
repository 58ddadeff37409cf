#include "engine/waves/search/path.hpp"

#include <cmath>

namespace plimsoll::waves {

double margin(const Rule& rule, const Path& path) {
    const double left = measure(rule.left, path);
    const double right = measure(rule.right, path);
    const double scale = rule.left.quantity == Quantity::price
                             ? path.length[1]
                             : std::max(std::abs(left), std::abs(right));
    return scale > 0 ? (left - right) / scale : 0;
}

std::string end_label(Shape shape, int end) {
    if (end == 0) return "0";
    return std::string(1, static_cast<char>((waves_of(shape) == 5 ? '0' : 'A' - 1) + end));
}

}  // namespace plimsoll::waves
