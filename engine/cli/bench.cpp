#include "engine/cli/commands.hpp"
#include "engine/cli/ready_device.hpp"
#include "engine/profiling/device/rates.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using namespace profiling;
using Json = nlohmann::ordered_json;

constexpr int kRounds = 7;

// Prints measurements as they arrive, and remembers whether one failed.
class Printer {
  public:
    explicit Printer(bool json) : json_(json) {}

    bool failed() const { return failed_; }

    void rate(const char* area, const Rate& rate, const char* unit, bool peak = false) {
        const double value = (peak ? rate.max_per_second() : rate.per_second()) / 1e9;
        if (json_) {
            line({{"area", area},
                  {"name", rate.name},
                  {"method", rate.method},
                  {"value", value},
                  {"unit", unit},
                  {"share_of_peak", rate.share_of_peak ? Json(*rate.share_of_peak) : Json()},
                  {"median_seconds", rate.timing.median},
                  {"p95_seconds", rate.timing.p95},
                  {"spread_seconds", rate.timing.spread},
                  {"runs", rate.timing.runs}});
            return;
        }
        std::printf("%-10s %-34s %-11s %9.1f %-8s", area, rate.name.c_str(), rate.method.c_str(),
                    value, unit);
        if (rate.share_of_peak) std::printf(" %4.0f %% of the peak", *rate.share_of_peak * 100);
        std::printf("\n");
        std::fflush(stdout);
    }

    void number(const char* area, const char* name, double value, const char* unit) {
        if (json_)
            line({{"area", area}, {"name", name}, {"value", value}, {"unit", unit}});
        else
            std::printf("%-10s %-46s %9.2f %s\n", area, name, value, unit);
    }

    void text(const char* area, const std::string& words) {
        if (json_)
            line({{"area", area}, {"text", words}});
        else
            std::printf("%-10s %s\n", area, words.c_str());
    }

    template <class T>
    const T* good(const char* area, const Result<T>& result) {
        if (result) return &*result;
        failed_ = true;
        text(area, "failed: " + result.error().message);
        return nullptr;
    }

  private:
    static void line(const Json& json) {
        std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
        std::fflush(stdout);
    }

    bool json_;
    bool failed_ = false;
};

void print_rates(Printer& out, const char* area, const Result<std::vector<Rate>>& rates,
                 const char* unit) {
    const auto* measured = out.good(area, rates);
    if (measured == nullptr) return;
    for (const auto& rate : *measured) out.rate(area, rate, unit);
}

void print_launches(Printer& out, const Subject& subject, const std::filesystem::path& cache) {
    const auto measured = measure_launches(subject, cache / "bench");
    const auto* cost = out.good("launch", measured);
    if (cost != nullptr) {
        out.number("launch", "one, including the wait", cost->waited.median * 1e6, "us");
        out.number("launch", "one of many in a row", cost->queued * 1e6, "us");
        out.number("launch", "a kernel, compiled and run", cost->cold_build * 1e3, "ms");
        out.number("launch", "a kernel, from the program cache", cost->warm_build * 1e3, "ms");
    }
    std::error_code ignored;
    std::filesystem::remove_all(cache / "bench", ignored);
}

void print_knee(Printer& out, const Subject& subject, bool sweep) {
    const BatchLimits limits;
    const auto search = measure_product_knee(subject, limits);
    const auto* found = out.good("batches", search);
    if (found == nullptr) return;
    const auto& told = found->recommendation;
    out.number("batches", "recommended rows in a batch, for a layer of 3072 x 768",
               static_cast<double>(told.batch.value_or(0)), "rows");
    out.text("batches", told.reason);
    out.number("batches", "measurements", static_cast<double>(found->measurements),
               ("of " + std::to_string(found->full_sweep)).c_str());
    if (!sweep) return;
    const auto all = sweep_product(subject, limits);
    const auto* points = out.good("sweep", all);
    if (points == nullptr) return;
    const auto best = recommend(*points, limits);
    out.number("sweep", "recommended rows of the whole sweep",
               static_cast<double>(best.batch.value_or(0)), "rows");
    for (const auto& point : *points) {
        out.number("sweep", ("batches of " + std::to_string(point.batch)).c_str(),
                   point.items_per_second(), "rows/s");
    }
    const std::array batches{told.batch.value_or(1), best.batch.value_or(1), best.best_batch};
    const auto compared = compare_product_batches(subject, limits, batches, kRounds);
    const auto* rates = out.good("sweep", compared);
    if (rates == nullptr) return;
    out.number("sweep", "speed against the sweep's recommended rows",
               (*rates)[0] / (*rates)[1] * 100, "%");
    out.number("sweep", "speed against the sweep's best rows", (*rates)[0] / (*rates)[2] * 100,
               "%");
}

}  // namespace

Result<int> bench(const BenchOptions& options) {
    Printer out(options.json);
    TRY(const auto ready, open_ready(options.device, options.cache));
    auto& [capability, device, programs, plans, file] = *ready;
    const Subject subject{programs, capability, plans, {}};
    out.text("device", to_string(device.info().address) + ", " + device.info().name + ", " +
                           std::to_string(plans.size()) + " tuned plans");
    const auto measured = measure_peak(subject);
    const auto* peak = out.good("peak", measured);
    if (peak == nullptr) return EXIT_FAILURE;
    out.rate("peak", peak->fma, "GFLOP/s", true);
    out.rate("peak", peak->copy, "GB/s", true);
    print_rates(out, "product", measure_products(subject, *peak), "GFLOP/s");
    print_rates(out, "rows", measure_rows(subject, *peak), "GB/s");
    print_rates(out, "attention", measure_attention(subject, *peak), "GFLOP/s");
    print_launches(out, subject, options.cache);
    const auto overlap = measure_overlap(subject);
    if (const auto* told = out.good("overlap", overlap))
        out.number("overlap", "copying while computing", told->speedup(), "x");
    print_knee(out, subject, options.sweep);
    return out.failed() ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace plimsoll::cli
