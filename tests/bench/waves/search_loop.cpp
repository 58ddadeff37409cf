// waves_search_loop SYMBOLS BARS THREADS SETTINGS: scans random walks with settings (JSON) and
// prints what it took as JSON: wall and processor seconds, nodes, valid counts, peak memory.

#include "engine/waves/report/scan.hpp"
#include "engine/waves/settings/keys.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace {

using namespace plimsoll;
using namespace plimsoll::waves;

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long peak_kilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: waves_search_loop SYMBOLS BARS THREADS SETTINGS\n");
        return 2;
    }
    Settings settings;
    const auto applied = apply_settings(nlohmann::json::parse(argv[4]), settings);
    if (!applied) {
        std::fprintf(stderr, "%s\n", applied.error().message.c_str());
        return 2;
    }
    settings.threads = std::atoi(argv[3]);
    std::vector<SymbolPrices> symbols(static_cast<std::size_t>(std::atoi(argv[1])));
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        symbols[i].series = testing::random_series(i, static_cast<std::size_t>(std::atoi(argv[2])));
        symbols[i].series.symbol = "S" + std::to_string(i);
    }

    Progress progress;
    const double began = processor_seconds();
    const auto wall_began = std::chrono::steady_clock::now();
    const auto reports = scan(std::move(symbols), settings, progress);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_began;
    const double processor = processor_seconds() - began;
    if (!reports) return 1;
    Coverage all;
    for (const SymbolReport& report : *reports) all.add(report.coverage);
    std::uint64_t valid = 0;
    for (std::uint64_t count : all.valid) valid += count;
    const nlohmann::json told = {{"wall", wall.count()},
                                 {"processor", processor},
                                 {"nodes", all.nodes},
                                 {"valid", valid},
                                 {"windows", all.windows},
                                 {"complete", all.complete()},
                                 {"peak_mb", static_cast<double>(peak_kilobytes()) / 1024}};
    std::puts(told.dump().c_str());
}
