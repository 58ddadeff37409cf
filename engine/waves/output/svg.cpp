#include "engine/waves/output/svg.hpp"

#include "engine/waves/output/words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plimsoll::waves::output {
namespace {

constexpr double kWidth = 960;
constexpr double kHeight = 540;
constexpr double kLeft = 70, kRight = 130, kTop = 50, kBottom = 40;

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

class Chart {
  public:
    Chart(const SymbolReport& report, const CountReport& it) : report_(report), it_(it) {
        const auto n = static_cast<std::int32_t>(report.series.size());
        const std::int32_t span = it.count.end() - it.count.begin() + 1;
        begin_ = std::max(0, it.count.begin() - span / 4 - 2);
        end_ = std::min(n, it.count.end() + span / 2 + 3);
        step_ = (end_ - begin_ - 1) / static_cast<std::int32_t>(kChartBars) + 1;
        low_ = high_ = it.prices.front();
        for (std::int32_t i = begin_; i < end_; ++i) {
            include(report.series.low[i]);
            include(report.series.high[i]);
        }
        // Lines that lie too far off would flatten the candles: they are named in the margin only.
        const double room = (high_ - low_) * 0.6;
        const double least = low_ - room;
        const double most = high_ + room;
        const auto include_near = [&](double price) {
            if (price > least && price < most) include(price);
        };
        include_near(it.outlook.invalidation);
        for (const Target& target : it.outlook.targets) include_near(target.price);
        const double margin = std::max((high_ - low_) * 0.06, high_ * 1e-6);
        low_ -= margin;
        high_ += margin;
    }

    std::string draw() {
        out_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
            "height=\"{1}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\">\n",
            kWidth, kHeight);
        const std::string title =
            fmt::format("{}: {}, score {:.3f}", report_.symbol,
                        pattern_words(it_.count.shape, it_.count.rising), it_.count.score);
        out_ += fmt::format("<title>{}</title>\n<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n",
                            escaped(title), kWidth, kHeight);
        text(kLeft, 28, "start", "#111", title, "font-size=\"17\" font-weight=\"600\"");
        axes();
        outlook();
        bars();
        count();
        return out_ + "</svg>\n";
    }

  private:
    void include(double price) {
        low_ = std::min(low_, price);
        high_ = std::max(high_, price);
    }
    double x(std::int32_t bar) const {
        return kLeft + (bar - begin_ + 0.5) * (kWidth - kLeft - kRight) / (end_ - begin_);
    }
    double y(double price) const {
        return kTop + (high_ - price) * (kHeight - kTop - kBottom) / (high_ - low_);
    }
    void line(double x1, double y1, double x2, double y2, std::string_view colour,
              std::string_view more = "") {
        out_ += fmt::format(
            "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" {}/>\n",
            x1, y1, x2, y2, colour, more);
    }
    void text(double at_x, double at_y, std::string_view anchor, std::string_view colour,
              std::string_view words, std::string_view more = "") {
        out_ += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\" {}>{}</text>\n", at_x,
            at_y, anchor, colour, more, escaped(words));
    }

    void axes() {
        constexpr int kLines = 6;
        for (int i = 0; i <= kLines; ++i) {
            const double price = low_ + (high_ - low_) * i / kLines;
            line(kLeft, y(price), kWidth - kRight, y(price), "#e5e7eb");
            text(kLeft - 8, y(price) + 4, "end", "#4b5563", fmt::format("{:.6g}", price));
        }
        const double base = kHeight - kBottom + 20;
        text(x(begin_), base, "start", "#4b5563", bar_words(report_, begin_));
        text(x(end_ - 1), base, "end", "#4b5563", bar_words(report_, end_ - 1));
    }

    void outlook() {
        const auto seen = [&](double price) { return price > low_ && price < high_; };
        const double from = x(it_.count.end());
        const double to = kWidth - kRight;
        const double zone = (high_ - low_) * 0.008;
        for (const Target& target : it_.outlook.targets) {
            if (!seen(target.price)) continue;
            out_ += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                "fill=\"#0f766e\" fill-opacity=\"0.25\"><title>{}</title></rect>\n",
                from, y(target.price + zone), to - from,
                y(target.price - zone) - y(target.price + zone), escaped(target.basis));
            text(to + 6, y(target.price) + 4, "start", "#0f766e",
                 fmt::format("{:.6g}", target.price));
        }
        const double limit = it_.outlook.invalidation;
        if (!seen(limit)) return;
        line(from, y(limit), to, y(limit), "#b91c1c", "stroke-dasharray=\"6 4\"");
        text(to + 6, y(limit) + 4, "start", "#b91c1c", fmt::format("wrong {:.6g}", limit));
    }

    void bars() {
        const Series& s = report_.series;
        const double half = std::max(0.5, (x(step_) - x(0)) * 0.35);
        std::string closes;
        for (std::int32_t i = begin_; i < end_; i += step_) {
            const std::int32_t to = std::min(i + step_, end_);
            if (s.close_only) {
                closes += fmt::format("{:.1f},{:.1f} ", x(to - 1), y(s.close[to - 1]));
                continue;
            }
            const double low = *std::min_element(s.low.begin() + i, s.low.begin() + to);
            const double high = *std::max_element(s.high.begin() + i, s.high.begin() + to);
            const double open = s.open[i];
            const double close = s.close[to - 1];
            const double middle = (x(i) + x(to - 1)) / 2;
            const char* colour = close >= open ? "#6b7280" : "#111827";
            line(middle, y(high), middle, y(low), colour);
            out_ += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
                "stroke=\"{}\"/>\n",
                middle - half, y(std::max(open, close)), 2 * half,
                std::max(0.5, y(std::min(open, close)) - y(std::max(open, close))),
                close >= open ? "#fff" : colour, colour);
        }
        if (s.close_only)
            out_ += "<polyline points=\"" + closes + "\" fill=\"none\" stroke=\"#374151\"/>\n";
    }

    void count() {
        std::string points;
        for (int i = 0; i <= it_.count.waves; ++i)
            points += fmt::format("{:.1f},{:.1f} ", x(it_.count.at[i]), y(it_.prices[i]));
        out_ += "<polyline points=\"" + points +
                "\" fill=\"none\" stroke=\"#1d4ed8\" stroke-width=\"2.5\"/>\n";
        if (it_.outlook.invalidated == false && it_.count.waves > 0) {
            const auto last = static_cast<std::int32_t>(report_.series.size()) - 1;
            if (end_ - 1 == last && it_.count.end() < last)
                line(x(it_.count.end()), y(it_.prices.back()), x(last),
                     y(report_.series.close.back()), "#1d4ed8", "stroke-dasharray=\"3 4\"");
        }
        for (int i = 0; i <= it_.count.waves; ++i) {
            const bool peak = (i % 2 == 1) == it_.count.rising;
            text(x(it_.count.at[i]), y(it_.prices[i]) + (peak ? -10 : 20), "middle", "#1d4ed8",
                 end_label(it_.count.shape, i), "font-weight=\"700\" font-size=\"15\"");
        }
    }

    const SymbolReport& report_;
    const CountReport& it_;
    std::int32_t begin_, end_, step_;
    double low_, high_;
    std::string out_;
};

}  // namespace

std::string count_svg(const SymbolReport& report, const CountReport& count) {
    return Chart(report, count).draw();
}

}  // namespace plimsoll::waves::output
