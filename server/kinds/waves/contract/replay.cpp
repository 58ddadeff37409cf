#include "engine/base/json.hpp"
#include "engine/waves/output/follow_step.hpp"
#include "server/kinds/waves/contract/extras.hpp"
#include "server/kinds/waves/contract/subject.hpp"

#include <algorithm>

namespace plimsoll::jobs::waves {
namespace {

tl::unexpected<FieldErrors> refuse(const char* pointer, const char* rule, std::string message) {
    return tl::unexpected(one_error(pointer, rule, std::move(message)));
}

// The given bars, and those that follow one by one.
struct Bars {
    engine::Series before;
    std::size_t known = 0;  // of `before`, from its first bar on
    engine::Series next;
    std::size_t first = 0;  // of `next`
};

// New bars after those of a job, or the last ones of the series.
tl::expected<Bars, FieldErrors> bars_of(const json& body, const JobItem* item, Subject subject) {
    engine::Series& series = subject.prices.series;
    if (item != nullptr && (body.contains("prices") || body.contains("series"))) {
        engine::PriceReading reading = subject.request.reading;
        reading.symbol = series.symbol;
        if (!reading.zone) reading.zone = series.zone;
        TRY(auto more, one_symbol(body, reading));
        const std::size_t known = series.size();
        return Bars{std::move(series), known, std::move(more.series), 0};
    }
    const std::size_t known =
        series.size() - std::min(series.size(), body.value("last", kBarsReplayed));
    engine::Series next = series;
    return Bars{std::move(series), known, std::move(next), known};
}

}  // namespace

tl::expected<std::string, FieldErrors> replay_answer(const json& body, const JobItem* item) {
    TRY(auto subject, subject_of(body, item, {"job_id", "index", "last"}, true));
    engine::Settings settings = subject.request.settings;
    if (item != nullptr) settings.surrogates = 0;  // of the job: they compare its report
    if (const auto good = engine::followable(settings); !good)
        return refuse(good.error().where.c_str(), "not_followable", good.error().message);
    TRY(auto bars, bars_of(body, item, std::move(subject)));
    const std::size_t steps = bars.next.size() - bars.first;
    if (bars.known + steps > kMaxBarsReplayed || steps > kMaxSteps) {
        return refuse("", "too_large",
                      "A replay may have at most " + std::to_string(kMaxBarsReplayed) +
                          " bars and replay " + std::to_string(kMaxSteps) +
                          " of them; this one has " + std::to_string(bars.known + steps) +
                          " and replays " + std::to_string(steps) + ".");
    }
    engine::Follower follower(settings, kMaxNodesReplayed);
    const auto taken = follower.take(bars.before, 0, bars.known);
    if (!taken) return refuse("", "too_large", taken.error().message);
    if (follower.held() * steps > kMaxCountsReplayed) {
        return refuse("", "too_large",
                      "There are too many counts to replay this many bars: replay fewer.");
    }
    json told = json::array();
    for (std::size_t bar = bars.first; bar < bars.next.size(); ++bar) {
        const auto step = follower.add(bars.next, bar);
        if (!step) return refuse("", "invalid_prices", step.error().message);
        told.push_back(engine::output::step_json(follower.report(), *step));
    }
    return json{{"steps", std::move(told)},
                {"report", engine::output::followed_json(follower.report())}}
        .dump();
}

}  // namespace plimsoll::jobs::waves
