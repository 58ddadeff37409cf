#include "engine/training_device/device_probe.hpp"

#include "engine/telemetry/sensors.hpp"
#include "engine/tuning/gemm_search.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

// Largest weights of one product: larger ones need hundreds of megabytes and measure the same.
constexpr std::int64_t kMaxElements = 16 << 20;
// A product should take about ten milliseconds.
constexpr double kProcessorFlops = 1e9;
constexpr double kGpuFlops = 2e11;

std::uint32_t rows_for(double flops_per_row, double flops) {
    for (const std::uint32_t rows : {1024U, 256U, 128U, 64U})
        if (flops_per_row * rows <= flops) return rows;
    return 32;
}

void look_at_memory(DeviceMeasurement& out) {
    const auto& info = out.device;
    if (info.type == opencl::DeviceType::cpu) {
        const auto size = opencl::available_host_memory();
        out.memory_source = size.source;
        if (size.bytes) out.free_bytes = static_cast<std::int64_t>(*size.bytes);
        return;
    }
    out.memory_source = "unknown";
    const auto probe = telemetry::nvidia_memory(info.pci_address);
    const auto memory = probe ? (*probe)() : std::nullopt;
    if (!memory) return;
    out.memory_source = "nvml";
    out.total_bytes = static_cast<std::int64_t>(memory->total);
    out.free_bytes = static_cast<std::int64_t>(memory->free);
}

Result<MeasuredProduct> measure(opencl::Programs& programs, const MatrixShape& shape,
                                std::chrono::milliseconds budget) {
    const bool processor = programs.device().info().type == opencl::DeviceType::cpu;
    MeasuredProduct out{.shape = shape};
    out.method = processor ? routines::Method::block_fp32 : routines::Method::group_fp32;
    out.columns = std::clamp<std::int64_t>(kMaxElements / shape.depth, 1, shape.columns);
    const double per_row =
        2.0 * static_cast<double>(out.columns) * static_cast<double>(shape.depth);
    const auto rows = rows_for(per_row, processor ? kProcessorFlops : kGpuFlops);
    TRY(const auto found, tuning::search(programs,
                                         {out.method, rows, static_cast<std::uint32_t>(out.columns),
                                          static_cast<std::uint32_t>(shape.depth)},
                                         {.budget = budget}));
    out.rows = rows;
    out.seconds = std::ranges::find(found.tried, found.best, &tuning::Candidate::plan)->seconds;
    return out;
}

}  // namespace

double DeviceMeasurement::flops_per_second() const {
    double work = 0, seconds = 0;
    for (const auto& p : products) {
        const double of_a_row = p.shape.flops_per_row() * static_cast<double>(p.shape.count);
        work += of_a_row;
        seconds += of_a_row / p.flops_per_second();
    }
    return seconds > 0 ? work / seconds : 0;
}

Result<DeviceMeasurement> probe_device(opencl::Programs& programs,
                                       const std::vector<MatrixShape>& shapes,
                                       std::chrono::milliseconds each, Progress& progress,
                                       const std::stop_token& stop) {
    DeviceMeasurement out;
    out.device = programs.device().info();
    look_at_memory(out);
    for (std::size_t i = 0; i < std::min(shapes.size(), kShapes); ++i) {
        if (stop.stop_requested()) return fail(Errc::cancelled, "The measurement was stopped.");
        progress.beat();
        TRY(auto product, measure(programs, shapes[i], each));
        out.products.push_back(std::move(product));
    }
    return out;
}

}  // namespace plimsoll::training
