#include "engine/market/clock.hpp"

#include <algorithm>

namespace plimsoll::market {
namespace {

int liveliness(Status status) {
    if (status == Status::regular) return 2;
    return status == Status::closed ? 0 : 1;
}

// The same times with one state in [over.begin, over.end).
std::vector<Span> replaced(const std::vector<Span>& spans, const Override& over) {
    std::vector<Span> all;
    for (const Span& span : spans) {
        if (span.begin < over.begin)
            all.push_back({span.begin, std::min(span.end, over.begin), span.status});
        const Span inside{std::max(span.begin, over.begin), std::min(span.end, over.end),
                          over.status};
        if (inside.begin < inside.end) all.push_back(inside);
        if (span.end > over.end)
            all.push_back({std::max(span.begin, over.end), span.end, span.status});
    }
    return all;
}

void hold(std::vector<Span>& spans, std::int64_t seconds) {
    for (std::size_t i = 1; i < spans.size(); ++i) {
        if (liveliness(spans[i].status) >= liveliness(spans[i - 1].status)) continue;
        spans[i - 1].end = std::min(spans[i - 1].end + seconds, spans[i].end);
        spans[i].begin = spans[i - 1].end;
    }
}

std::vector<Span> joined(const std::vector<Span>& spans) {
    std::vector<Span> all;
    for (const Span& span : spans) {
        if (span.begin == span.end) continue;
        if (!all.empty() && all.back().status == span.status)
            all.back().end = span.end;
        else
            all.push_back(span);
    }
    return all;
}

}  // namespace

Result<Span> Clock::at(std::int64_t seconds) const {
    TRY(auto around, spans(seconds, seconds + 1));
    return around.front();
}

Result<std::vector<Span>> Clock::spans(std::int64_t from, std::int64_t until) const {
    const Calendar& calendar = rules_.calendar;
    // A session that ended shortly before may be held.
    const auto begin = std::max(from - rules_.hold_seconds, std::min(from, calendar.first()));
    auto spans = calendar.spans(begin, until);
    if (!spans) return spans;
    if (rules_.always)
        return std::vector<Span>{{calendar.first(), calendar.last(), *rules_.always}};
    hold(*spans, rules_.hold_seconds);
    for (const Override& over : rules_.overrides) *spans = replaced(*spans, over);
    *spans = joined(*spans);
    std::erase_if(*spans,
                  [&](const Span& span) { return span.end <= from || span.begin >= until; });
    return spans;
}

}  // namespace plimsoll::market
