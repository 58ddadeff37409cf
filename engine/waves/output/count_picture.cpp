#include "engine/waves/output/count_picture.hpp"

#include "engine/waves/output/words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plimsoll::waves::output {
namespace {

using drawing::Anchor;
using drawing::BoxMark;
using drawing::Colour;
using drawing::LineMark;
using drawing::Picture;
using drawing::Point;
using drawing::TextMark;

constexpr double kWidth = 960;
constexpr double kHeight = 540;
constexpr double kLeft = 70, kRight = 130, kTop = 50, kBottom = 40;

constexpr Colour kInk = 0x111111, kQuiet = 0x4b5563, kGrid = 0xe5e7eb, kCount = 0x1d4ed8;
constexpr Colour kTarget = 0x0f766e, kLimit = 0xb91c1c, kRise = 0x6b7280, kFall = 0x111827;

class Painter {
  public:
    explicit Painter(const CountChart& chart) : chart_(chart) {
        low_ = high_ = chart.ends.front().price;
        for (const auto* column : {&chart.low, &chart.high, &chart.close})
            for (const double price : *column) include(price);
        for (const auto& end : chart.ends) include(end.price);
        // Lines too far away would flatten the candles: they are omitted.
        const double room = (high_ - low_) * 0.6;
        const double min = low_ - room;
        const double max = high_ + room;
        const auto include_near = [&](double price) {
            if (price > min && price < max) include(price);
        };
        include_near(chart.invalidation);
        for (const auto& target : chart.targets) include_near(target.price);
        const double margin = std::max((high_ - low_) * 0.06, high_ * 1e-6);
        low_ -= margin;
        high_ += margin;
    }

    Picture paint() {
        out_ = {.width = kWidth, .height = kHeight, .title = chart_.title, .marks = {}};
        text(kLeft, 28, chart_.title, kInk, Anchor::start, 17, true);
        axes();
        outlook();
        bars();
        count();
        return std::move(out_);
    }

  private:
    std::size_t size() const { return chart_.close.size(); }
    void include(double price) {
        low_ = std::min(low_, price);
        high_ = std::max(high_, price);
    }
    // Of a drawn bar, in the middle.
    double place(double index) const {
        return kLeft + (index + 0.5) * (kWidth - kLeft - kRight) / static_cast<double>(size());
    }
    double x(std::int64_t bar) const {
        return place(static_cast<double>((bar - chart_.first) / chart_.step));
    }
    double y(double price) const {
        return kTop + (high_ - price) * (kHeight - kTop - kBottom) / (high_ - low_);
    }
    void line(std::vector<Point> points, Colour colour, double width = 1, double dash = 0,
              double gap = 0) {
        out_.marks.emplace_back(LineMark{std::move(points), colour, width, dash, gap});
    }
    void text(double at_x, double at_y, std::string words, Colour colour, Anchor anchor,
              double size = 13, bool bold = false) {
        out_.marks.emplace_back(
            TextMark{{at_x, at_y}, std::move(words), colour, size, bold, anchor});
    }

    void axes() {
        constexpr int kLines = 6;
        for (int i = 0; i <= kLines; ++i) {
            const double price = low_ + (high_ - low_) * i / kLines;
            line({{kLeft, y(price)}, {kWidth - kRight, y(price)}}, kGrid);
            text(kLeft - 8, y(price) + 4, fmt::format("{:.6g}", price), kQuiet, Anchor::end);
        }
        const double base = kHeight - kBottom + 20;
        text(place(0), base, chart_.first_name, kQuiet, Anchor::start);
        text(kWidth - kRight, base, chart_.last_name, kQuiet, Anchor::end);
    }

    void outlook() {
        const auto seen = [&](double price) { return price > low_ && price < high_; };
        const double from = x(chart_.ends.back().bar);
        const double to = kWidth - kRight;
        const double zone = (high_ - low_) * 0.008;
        for (const auto& target : chart_.targets) {
            if (!seen(target.price)) continue;
            const double top = y(target.price + zone);
            out_.marks.emplace_back(BoxMark{.x = from,
                                            .y = top,
                                            .width = to - from,
                                            .height = y(target.price - zone) - top,
                                            .fill = kTarget,
                                            .opacity = 0.25,
                                            .title = target.basis});
            text(to + 6, y(target.price) + 4, fmt::format("{:.6g}", target.price), kTarget,
                 Anchor::start);
        }
        const double limit = chart_.invalidation;
        if (!seen(limit)) return;
        line({{from, y(limit)}, {to, y(limit)}}, kLimit, 1, 6, 4);
        text(to + 6, y(limit) + 4, fmt::format("invalid {:.6g}", limit), kLimit, Anchor::start);
    }

    void bars() {
        if (chart_.open.empty()) {
            std::vector<Point> closes;
            for (std::size_t i = 0; i < size(); ++i)
                closes.push_back({place(static_cast<double>(i)), y(chart_.close[i])});
            return line(std::move(closes), 0x374151);
        }
        const std::size_t step = (size() - 1) / kChartBars + 1;
        const double half = std::max(0.5, (place(static_cast<double>(step)) - place(0)) * 0.35);
        const auto at = [](const std::vector<double>& column, std::size_t index) {
            return column.begin() + static_cast<std::ptrdiff_t>(index);
        };
        for (std::size_t i = 0; i < size(); i += step) {
            const std::size_t to = std::min(i + step, size());
            const double low = *std::min_element(at(chart_.low, i), at(chart_.low, to));
            const double high = *std::max_element(at(chart_.high, i), at(chart_.high, to));
            const double open = chart_.open[i];
            const double close = chart_.close[to - 1];
            const double middle = place(static_cast<double>(i + to - 1) / 2);
            const Colour colour = close >= open ? kRise : kFall;
            line({{middle, y(high)}, {middle, y(low)}}, colour);
            const double top = y(std::max(open, close));
            out_.marks.emplace_back(BoxMark{.x = middle - half,
                                            .y = top,
                                            .width = 2 * half,
                                            .height = std::max(0.5, y(std::min(open, close)) - top),
                                            .fill = close >= open ? 0xffffff : colour,
                                            .outlined = true,
                                            .outline = colour});
        }
    }

    void count() {
        std::vector<Point> points;
        for (const auto& end : chart_.ends) points.push_back({x(end.bar), y(end.price)});
        const Point last = points.back();
        line(points, kCount, 2.5);
        if (chart_.under_way)
            line({last, {place(static_cast<double>(size()) - 1), y(chart_.close.back())}}, kCount,
                 1, 3, 4);
        const bool rising = chart_.ends[1].price > chart_.ends[0].price;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool peak = (i % 2 == 1) == rising;
            text(points[i].x, points[i].y + (peak ? -10 : 20), chart_.ends[i].label, kCount,
                 Anchor::middle, 15, true);
        }
    }

    const CountChart& chart_;
    double low_, high_;
    Picture out_;
};

}  // namespace

Picture picture_of(const CountChart& chart) { return Painter(chart).paint(); }

CountChart chart_of(const SymbolReport& report, const CountReport& it) {
    const Series& series = report.series;
    const auto n = static_cast<std::int32_t>(series.size());
    const std::int32_t span = it.count.end() - it.count.begin() + 1;
    const std::int32_t begin = std::max(0, it.count.begin() - span / 4 - 2);
    const std::int32_t end = std::min(n, it.count.end() + span / 2 + 3);
    CountChart chart;
    chart.title = fmt::format("{}: {}, score {:.3f}", report.symbol,
                              pattern_words(it.count.shape, it.count.rising), it.count.score);
    chart.first = begin;
    const auto part = [&](const std::vector<double>& column) {
        return std::vector<double>(column.begin() + begin, column.begin() + end);
    };
    chart.close = part(series.close);
    if (!series.close_only) {
        chart.open = part(series.open);
        chart.high = part(series.high);
        chart.low = part(series.low);
    }
    chart.first_name = bar_words(report, begin);
    chart.last_name = bar_words(report, end - 1);
    for (int i = 0; i <= it.count.waves; ++i)
        chart.ends.push_back({it.count.at[i], it.prices[i], end_label(it.count.shape, i)});
    for (const Target& target : it.outlook.targets)
        chart.targets.push_back({target.price, std::string(target.basis)});
    chart.invalidation = it.outlook.invalidation;
    chart.under_way = !it.outlook.invalidated && end == n && it.count.end() < n - 1;
    return chart;
}

}  // namespace plimsoll::waves::output
