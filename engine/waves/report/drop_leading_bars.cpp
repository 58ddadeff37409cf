#include "engine/waves/report/drop_leading_bars.hpp"

#include <algorithm>

namespace plimsoll::waves {

void drop_leading_bars(std::size_t count, Series& series) {
    const auto drop = [count](auto& column) {
        const auto gone = std::min(count, column.size());
        column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(gone));
    };
    drop(series.time);
    drop(series.open);
    drop(series.high);
    drop(series.low);
    drop(series.close);
}

}  // namespace plimsoll::waves
