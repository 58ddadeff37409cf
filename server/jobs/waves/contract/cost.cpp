#include "server/jobs/waves/contract/cost.hpp"

#include <cmath>

namespace plimsoll::jobs::waves {

// Measured by tests/bench/waves on series of 500 and 5,000 bars.
double predicted_seconds(const ::plimsoll::waves::SymbolPrices& prices,
                         const ::plimsoll::waves::Settings& settings) {
    constexpr double kRow = 1e-3;  // describing the counts and packing the row
    if (!prices.ok()) return 1e-4;
    const bool standard = settings.mode == ::plimsoll::waves::Mode::standard;
    const double size = static_cast<double>(prices.series.size()) / 500;
    const double search = settings.windowed ? (standard ? 1.1e-3 : 0.35e-3) * size
                                            : (standard ? 0.6e-3 : 1e-3) * std::pow(size, 1.6);
    // Chance series are searched for their best scores alone.
    const double surrogates = settings.surrogates * search * (standard ? 0.4 : 0.65);
    return kRow + search + surrogates;
}

Requirement requirement_of(const ::plimsoll::waves::Settings& settings,
                           std::span<const TaskSpec> tasks) {
    using ::plimsoll::waves::UseGpu;
    constexpr double kWorthAGpu = 30;  // seconds of a core
    double seconds = 0;
    for (const TaskSpec& task : tasks) seconds += task.estimated_seconds;
    Requirement requirement;
    if (settings.use_gpu == UseGpu::always)
        requirement.device_class = "gpu,cpu,host";
    else if (settings.use_gpu == UseGpu::automatic && seconds >= kWorthAGpu)
        requirement.device_class = "gpu,host";
    return requirement;
}

}  // namespace plimsoll::jobs::waves
