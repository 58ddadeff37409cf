// waves_search_loop SYMBOLS BARS THREADS SETTINGS: scans random walks with settings (JSON) and
// prints what it took as JSON: wall and processor seconds, nodes, valid counts, peak memory.
// waves_search_loop IN.csv OUT.jsonl THREADS SETTINGS: reads prices, scans them, writes the
// reports; all of it is measured.

#include "engine/waves/output/json.hpp"
#include "engine/waves/report/scan.hpp"
#include "engine/waves/series/price_reader.hpp"
#include "engine/waves/settings/keys.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

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

std::vector<SymbolPrices> random_walks(std::size_t count, std::size_t bars) {
    std::vector<SymbolPrices> symbols(count);
    for (std::size_t i = 0; i < count; ++i) {
        symbols[i].series = testing::random_series(i, bars);
        symbols[i].series.symbol = "S" + std::to_string(i);
    }
    return symbols;
}

std::vector<SymbolPrices> from_file(const char* name) {
    std::ifstream file(name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return read_prices(text.str(), PriceFormat::csv, {}).value();
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
    const bool files = std::string_view(argv[1]).ends_with(".csv");
    std::vector<SymbolPrices> symbols;
    if (!files)
        symbols = random_walks(static_cast<std::size_t>(std::atoi(argv[1])),
                               static_cast<std::size_t>(std::atoi(argv[2])));

    Progress progress;
    const double began = processor_seconds();
    const auto wall_began = std::chrono::steady_clock::now();
    if (files) symbols = from_file(argv[1]);
    const auto reports = scan(std::move(symbols), settings, progress);
    if (files && reports) {
        std::ofstream out(argv[2], std::ios::binary);
        for (const SymbolReport& report : *reports)
            out << output::symbol_json(report, false).dump() << '\n';
    }
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
