#pragma once

#include "engine/base/progress.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/routines/gemm.hpp"
#include "engine/training_device/matrices.hpp"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace plimsoll::training {

// One product of the model's weights by `rows` rows of activations, in fp32. Very large weights are
// cut: `columns` is the number multiplied.
struct MeasuredProduct {
    MatrixShape shape;
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    routines::Method method = routines::Method::block_fp32;
    double seconds = 0;  // median, host time

    double flops_per_second() const {
        return 2.0 * static_cast<double>(columns) * static_cast<double>(shape.depth) *
               static_cast<double>(rows) / seconds;
    }
};

// Results of probing a device. In bytes; a value without a reliable source is absent.
struct DeviceMeasurement {
    opencl::DeviceInfo device;
    std::optional<std::int64_t> total_bytes;
    std::optional<std::int64_t> free_bytes;
    std::string memory_source;  // source: "nvml", "cgroup-v2", "mem-available" or "unknown"
    std::vector<MeasuredProduct> products;

    // Over all products, each as often as the model has it.
    double flops_per_second() const;
};

// Measures the shapes with the most work, at most kShapes, with a time budget of `each` per shape,
// half of it for compiling and checking the results. Between shapes it signals progress and checks
// `stop`. Errc::cancelled when stopped, Errc::corrupt when the device computes wrong results,
// otherwise the driver's error.
inline constexpr std::size_t kShapes = 4;
Result<DeviceMeasurement> probe_device(opencl::Programs& programs,
                                       const std::vector<MatrixShape>& shapes,
                                       std::chrono::milliseconds each, Progress& progress,
                                       const std::stop_token& stop);

}  // namespace plimsoll::training
