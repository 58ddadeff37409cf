// engine_knee_loop CACHE SEARCHES [DEVICE]: the knee search on a device, PoCL's first by default,
// against a full sweep of a layer's batch sizes. Sweeps and searches take turns, and what a search
// found is judged by the medians of all sweeps: a busy moment spoils one measurement of many.
// Prints a JSON line.

#include "engine/opencl/probing/probe.hpp"
#include "engine/opencl/runtime/cache_directory.hpp"
#include "engine/profiling/device/rates.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll {
namespace {

using namespace profiling;

template <class T>
T need(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message + " " + result.error().where);
    return std::move(*result);
}

void need(Result<void> result) {
    if (!result) throw std::runtime_error(result.error().message + " " + result.error().where);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

void run(const std::filesystem::path& cache, int searches, const char* address) {
    need(opencl::use_kernel_cache(cache));
    const auto wanted = need(opencl::parse_device_address(address));
    const auto report = opencl::probe();  // before this process opens a device
    const auto found = std::ranges::find_if(report.devices, [&](const opencl::Capability& device) {
        return device.info.address == wanted && device.state == opencl::DeviceState::ready;
    });
    if (found == report.devices.end())
        throw std::runtime_error(std::string(address) + " is not ready");
    const auto device = need(opencl::Device::open(found->info.address));
    opencl::Programs programs(device, opencl::ProgramCache(cache / "programs"));
    const tuning::Plans plans(device.info());
    const Subject subject{programs, *found, plans, {}};
    const BatchLimits limits;
    std::map<std::int64_t, std::vector<double>> rates;  // of all sweeps, by batch
    std::vector<std::int64_t> chosen;
    std::size_t measurements = 0;  // of the search that took the most
    for (int round = 0; round < searches; ++round) {
        for (const auto& point : need(sweep_product(subject, limits)))
            rates[point.batch].push_back(point.items_per_second());
        const auto search = need(measure_product_knee(subject, limits));
        if (!search.recommendation.batch) throw std::runtime_error("a search found no batch");
        chosen.push_back(*search.recommendation.batch);
        measurements = std::max(measurements, search.measurements);
    }
    std::map<std::int64_t, double> truth;
    double best = 0;
    for (const auto& [batch, all] : rates) {
        truth[batch] = median(all);
        best = std::max(best, truth[batch]);
    }
    // What a sweep recommends: the smallest batch within 5 % of the best.
    const auto knee =
        std::ranges::find_if(truth, [&](const auto& it) { return it.second >= 0.95 * best; });
    std::vector<double> shares;
    for (const auto batch : chosen) shares.push_back(truth.at(batch) / best);
    const double share_of_best = median(shares);
    const nlohmann::ordered_json line{{"knee", knee->first},
                                      {"share_of_knee", share_of_best * best / knee->second},
                                      {"share_of_best", share_of_best},
                                      {"least_share_of_best", std::ranges::min(shares)},
                                      {"batches", chosen},
                                      {"measurements", measurements},
                                      {"full_sweep", rates.size()}};
    std::printf("%s\n", line.dump().c_str());
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) return 2;
    try {
        plimsoll::run(argv[1], std::atoi(argv[2]), argc == 4 ? argv[3] : "opencl:pocl:0");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
