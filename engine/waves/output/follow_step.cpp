#include "engine/waves/output/follow_step.hpp"

#include "engine/base/json.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/words.hpp"

#include <fmt/format.h>

namespace plimsoll::waves::output {
namespace {

json briefs(const SymbolReport& report, const std::vector<Found>& counts) {
    json out = json::array();
    for (const Found& found : counts) out.push_back(brief_json(report, found));
    return out;
}

json counts_json(const SymbolReport& report, const std::vector<CountReport>& counts) {
    json out = json::array();
    for (const CountReport& it : counts) out.push_back(count_json(report, it));
    return out;
}

std::string found_text(const SymbolReport& report, const Found& found) {
    return fmt::format("{} {} to {}, score {:.3f}", pattern_words(found.shape, found.rising),
                       bar_words(report, found.begin()), bar_words(report, found.end()),
                       found.score);
}

}  // namespace

json step_json(const SymbolReport& report, const FollowStep& step) {
    json broken = json::array();
    for (const CountReport& it : step.broken) {
        broken.push_back(brief_json(report, it.count));
        broken.back()["invalidation"] = it.outlook.invalidation;
    }
    return {{"symbol", report.symbol},
            {"bar", report.offset + step.bar},
            {"date", bar_words(report, static_cast<std::int32_t>(step.bar))},
            {"open", report.series.open[step.bar]},
            {"high", report.series.high[step.bar]},
            {"low", report.series.low[step.bar]},
            {"close", step.close},
            {"starts", step.effort.starts},
            {"starts_searched", step.effort.searched},
            {"nodes", step.effort.nodes},
            {"full_search_nodes", step.effort.whole_nodes},
            {"best", report.counts.empty() ? json(nullptr)
                                           : brief_json(report, report.counts.front().count)},
            {"appeared", briefs(report, step.added)},
            {"disappeared", briefs(report, step.removed)},
            {"invalidated", std::move(broken)}};
}

std::string step_text(const SymbolReport& report, const FollowStep& step) {
    std::string out = fmt::format(
        "{}  {}  close {:.6g}: {} of {} starts searched, {} nodes instead of {}\n", report.symbol,
        bar_words(report, static_cast<std::int32_t>(step.bar)), step.close, step.effort.searched,
        step.effort.starts, step.effort.nodes, step.effort.whole_nodes);
    for (const CountReport& it : step.broken)
        out += fmt::format("  invalid {}: beyond {:.6g}\n", found_text(report, it.count),
                           it.outlook.invalidation);
    for (const Found& it : step.removed) out += "  left    " + found_text(report, it) + "\n";
    for (const Found& it : step.added) out += "  ranked  " + found_text(report, it) + "\n";
    return out;
}

json followed_json(const SymbolReport& report) {
    return {{"symbol", report.symbol},
            {"bars", report.series.size()},
            {"date_end", bar_words(report, static_cast<std::int32_t>(report.series.size()) - 1)},
            {"last_close", report.series.close.back()},
            {"ranked_by", report.by_rarity ? "rarity" : "score"},
            {"counts", counts_json(report, report.counts)},
            {"in_progress", counts_json(report, report.open)}};
}

}  // namespace plimsoll::waves::output
