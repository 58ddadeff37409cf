// waves_search_loop SYMBOLS BARS THREADS SETTINGS: scans random walks with settings (JSON) and
// prints what it took as JSON: wall and processor seconds, nodes, valid counts, memory.
// ... SETTINGS DEVICE FLAVOUR (cpu or gpu): on an OpenCL device; its kernels are built before.
// waves_search_loop IN.csv OUT.jsonl THREADS SETTINGS: reads prices, scans them, writes the
// reports; all of it is measured.

#include "engine/waves/output/json.hpp"
#include "engine/waves/report/scan.hpp"
#include "engine/waves/series/price_reader.hpp"
#include "engine/waves/settings/keys.hpp"
#include "engine/waves_device/opencl_search.hpp"
#include "tests/unit/engine/waves/random_series.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

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

// What the process holds when all is done, with the reports.
double resident_megabytes() {
    std::ifstream statm("/proc/self/statm");
    long pages = 0;
    statm >> pages >> pages;
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
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

// The search on a device, with its kernels built by the trial. Ends the program where there is
// none.
struct DeviceSearch {
    std::optional<opencl::Device> device;
    opencl::Ledger ledger{std::numeric_limits<std::uint64_t>::max()};
    std::unique_ptr<OpenclSearch> search;

    DeviceSearch(std::string_view address, std::string_view flavour, Settings& settings) {
        auto opened = opencl::parse_device_address(address).and_then(
            [](const auto& found) { return opencl::Device::open(found); });
        if (!opened) leave(opened.error());
        device = std::move(*opened);
        auto made =
            OpenclSearch::open(*device, ledger, flavour == "gpu" ? kGpuFlavour : kCpuFlavour);
        if (!made) leave(made.error());
        search = std::move(*made);
        if (const auto tried = search->forecast({}, settings); !tried) leave(tried.error());
        settings.use_gpu = UseGpu::always;
    }
    [[noreturn]] static void leave(const Error& error) {
        std::fprintf(stderr, "%s (%s)\n", error.message.c_str(), error.where.c_str());
        std::exit(1);
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5 && argc != 7) {
        std::fprintf(stderr,
                     "usage: waves_search_loop SYMBOLS BARS THREADS SETTINGS [DEVICE FLAVOUR]\n");
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

    std::optional<DeviceSearch> device;
    if (argc == 7) device.emplace(argv[5], argv[6], settings);
    Progress progress;
    const double began = processor_seconds();
    const auto wall_began = std::chrono::steady_clock::now();
    if (files) symbols = from_file(argv[1]);
    const auto reports = scan(std::move(symbols), settings, progress, {},
                              {device ? device->search.get() : nullptr, "None is named."});
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
                                 {"by", reports->front().computed_by},
                                 {"resident_mb", resident_megabytes()},
                                 {"peak_mb", static_cast<double>(peak_kilobytes()) / 1024}};
    std::puts(told.dump().c_str());
}
