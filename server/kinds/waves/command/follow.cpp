#include "server/kinds/waves/command/follow.hpp"

#include "engine/waves/output/follow_step.hpp"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {
namespace {

namespace ew = ::plimsoll::waves;

// How soon a new bar is noticed.
constexpr std::chrono::milliseconds kBetweenLooks{200};

class Following {
  public:
    Following(const ew::Settings& settings, bool as_text)
        : settings_(settings), as_text_(as_text) {}

    // Reports the new bars; of new symbols, the last `told` ones.
    Result<void> take(const ew::SymbolPrices& prices, std::size_t told) {
        const ew::Series& series = prices.series;
        if (!prices.ok())
            return fail(Errc::invalid_input, series.symbol + ": " + prices.errors.front().message);
        auto [it, fresh] = followers_.try_emplace(series.symbol, settings_);
        ew::Follower& follower = it->second;
        std::size_t known = follower.report().series.size();
        if (fresh) {
            known = series.size() - std::min(series.size(), told);
            if (auto taken = follower.take(series, 0, known); !taken) return taken;
        }
        for (; known < series.size(); ++known) {
            const auto step = follower.add(series, known);
            if (!step) return fail(step.error());
            tell(follower.report(), *step);
        }
        return {};
    }

  private:
    void tell(const ew::SymbolReport& report, const ew::FollowStep& step) const {
        std::cout << (as_text_ ? ew::output::step_text(report, step)
                               : ew::output::step_json(report, step).dump() + "\n")
                  << std::flush;
    }

    const ew::Settings& settings_;
    bool as_text_;
    std::map<std::string, ew::Follower> followers_;
};

// Changes when a file does.
std::vector<std::uintmax_t> sizes_of(const std::vector<std::string>& files) {
    std::vector<std::uintmax_t> sizes;
    for (const std::string& file : files) {
        std::error_code error;
        sizes.push_back(std::filesystem::file_size(file, error));
    }
    return sizes;
}

}  // namespace

Result<void> follow(const Options& options, const ::plimsoll::waves::Settings& settings,
                    const ReadPrices& read) {
    if (const auto good = ew::followable(settings); !good) return good;
    if (options.format == "csv")
        return fail(Errc::invalid_input, "--replay and --follow write only text or jsonl.",
                    "--format");
    Following following(settings, options.format == "text");
    const auto look = [&](std::size_t told) -> Result<void> {
        const auto symbols = read(options.follow);
        if (!symbols) return fail(symbols.error());
        for (const auto& prices : *symbols)
            if (auto taken = following.take(prices, told); !taken) return taken;
        return {};
    };
    auto sizes = sizes_of(options.files);
    if (auto done = look(static_cast<std::size_t>(options.replay)); !done) return done;
    while (options.follow) {
        std::this_thread::sleep_for(kBetweenLooks);
        auto now = sizes_of(options.files);
        if (now == sizes) continue;
        sizes = std::move(now);
        if (auto done = look(0); !done) return done;
    }
    return {};
}

}  // namespace plimsoll::jobs::waves
