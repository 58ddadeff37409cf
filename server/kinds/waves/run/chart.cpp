#include "server/kinds/waves/run/chart.hpp"

#include "engine/waves/output/words.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {

namespace engine = ::plimsoll::waves;
using nlohmann::json;

json prices_json(const engine::SymbolReport& report, std::size_t begin, std::size_t end) {
    const engine::Series& series = report.series;
    const std::size_t step = (end - begin + kMostPoints - 1) / kMostPoints;
    json dates = json::array();
    json open = json::array();
    json high = json::array();
    json low = json::array();
    json close = json::array();
    for (std::size_t i = begin; i < end; i += step) {
        const std::size_t to = std::min(i + step, end);
        const auto at = [](const std::vector<double>& column, std::size_t index) {
            return column.begin() + static_cast<std::ptrdiff_t>(index);
        };
        if (!series.time.empty()) {
            dates.push_back(engine::output::bar_words(report, static_cast<std::int32_t>(i)));
        }
        close.push_back(series.close[to - 1]);
        if (series.close_only && step == 1) continue;
        open.push_back(series.open[i]);
        high.push_back(*std::max_element(at(series.high, i), at(series.high, to)));
        low.push_back(*std::min_element(at(series.low, i), at(series.low, to)));
    }
    return {{"first", report.offset + begin},
            {"step", step},
            {"bars", end - begin},
            {"dates", std::move(dates)},
            {"open", open},
            {"high", high},
            {"low", low},
            {"close", close}};
}

json close_up_json(const engine::SymbolReport& report, const engine::CountReport& count) {
    const auto bars = static_cast<std::int32_t>(report.series.size());
    const std::int32_t span = count.count.end() - count.count.begin() + 1;
    const auto begin = std::max(0, count.count.begin() - span / 4 - 2);
    const auto end = count.outlook.live ? bars : std::min(bars, count.count.end() + span / 2 + 3);
    return prices_json(report, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
}

}  // namespace plimsoll::jobs::waves
