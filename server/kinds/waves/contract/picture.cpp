#include "engine/base/json.hpp"
#include "engine/waves/output/count_picture.hpp"
#include "server/kinds/waves/contract/extras.hpp"

#include <algorithm>
#include <cstdio>

namespace plimsoll::jobs::waves {
namespace {

namespace output = ::plimsoll::waves::output;

std::vector<double> column(const json& prices, const char* name, std::size_t begin,
                           std::size_t end) {
    const auto all = prices.at(name).get<std::vector<double>>();
    if (all.empty()) return all;
    return {all.begin() + static_cast<std::ptrdiff_t>(begin),
            all.begin() + static_cast<std::ptrdiff_t>(end)};
}

// What the pages draw: the bars from a little before the count.
void take_bars(const json& prices, const json& count, output::CountChart& chart) {
    const auto size = static_cast<std::int64_t>(prices.at("close").size());
    const std::int64_t first = prices.at("first");
    const std::int64_t step = prices.at("step");
    const std::int64_t from = count.at("idx_start");
    const std::int64_t to = count.at("idx_end");
    const std::int64_t span = to - from + 1;
    const auto begin = std::clamp<std::int64_t>((from - span / 4 - 2 - first) / step, 0, size - 1);
    const auto end = std::clamp<std::int64_t>((to + span / 2 + 3 - first) / step, begin + 1, size);
    const auto at = [&](const char* name) {
        return column(prices, name, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
    };
    chart.first = first + begin * step;
    chart.step = step;
    chart.open = at("open");
    chart.high = at("high");
    chart.low = at("low");
    chart.close = at("close");
    const auto name = [&](std::int64_t bar) {
        const json& dates = prices.at("dates");
        return dates.empty() ? std::to_string(first + bar * step)
                             : dates.at(static_cast<std::size_t>(bar)).get<std::string>();
    };
    chart.first_name = name(begin);
    chart.last_name = name(end - 1);
}

output::CountChart chart_of(const json& row, const json& count, std::size_t place) {
    output::CountChart chart;
    char score[32];
    std::snprintf(score, sizeof score, "%.3f", count.at("ensemble_score").get<double>());
    chart.title = row.at("symbol").get<std::string>() + ": " +
                  count.at("pattern").get<std::string>() + ", score " + score;
    const json& close_ups = row.at("close_ups");
    take_bars(place < close_ups.size() ? close_ups[place] : row.at("prices"), count, chart);
    const json& labels = count.at("chart");
    for (std::size_t i = 0; i < count.at("pivots").size(); ++i) {
        chart.ends.push_back(
            {count.at("pivots")[i], labels.at("values")[i], labels.at("labels")[i]});
    }
    const json& outlook = count.at("outlook");
    for (const json& target : outlook.at("targets"))
        chart.targets.push_back({target.at("price"), target.at("basis")});
    chart.invalidation = outlook.at("invalidation");
    const json& report = row.at("report");
    const std::int64_t last =
        report.at("first_bar").get<std::int64_t>() + report.at("bars").get<std::int64_t>() - 1;
    const auto drawn = chart.first + static_cast<std::int64_t>(chart.close.size()) * chart.step - 1;
    chart.under_way = !outlook.at("invalidated").get<bool>() && drawn >= last &&
                      count.at("idx_end").get<std::int64_t>() < last;
    return chart;
}

}  // namespace

Result<std::string> count_picture(std::string_view row, std::int64_t number, PictureFormat format) {
    const json parsed = json::parse(row, nullptr, false);
    if (!parsed.is_object()) return fail(Errc::corrupt, "A result row is corrupt.");
    if (!parsed.contains("report") || parsed["report"].is_null())
        return fail(Errc::not_found, "This symbol has no counts.");
    const json& counts = parsed["report"].at("counts");
    const json& open = parsed["report"].at("in_progress");
    const auto place = static_cast<std::size_t>(number - 1);
    if (const auto max = counts.size() + open.size(); place >= max)
        return fail(Errc::not_found,
                    "There is no such count: this symbol has " + std::to_string(max) + ".");
    const json& count = place < counts.size() ? counts[place] : open[place - counts.size()];
    const auto picture = output::picture_of(chart_of(parsed, count, place));
    return format == PictureFormat::png ? drawing::png_of(picture)
                                        : Result<std::string>(drawing::svg_of(picture));
}

}  // namespace plimsoll::jobs::waves
