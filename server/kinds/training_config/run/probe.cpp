#include "server/kinds/training_config/run/probe.hpp"

#include "engine/base/json.hpp"
#include "engine/training_device/device_probe.hpp"

#include <chrono>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

constexpr std::chrono::milliseconds kEach{100};  // a shape

json or_null(const std::optional<std::int64_t>& bytes) {
    return bytes ? json(*bytes) : json(nullptr);
}

json products_json(const tr::DeviceMeasurement& seen) {
    json list = json::array();
    for (const auto& p : seen.products) {
        list.push_back({{"rows", p.rows},
                        {"columns", p.columns},
                        {"depth", p.shape.depth},
                        {"count", p.shape.count},
                        {"method", to_string(p.method)},
                        {"seconds", p.seconds},
                        {"flops_per_second", p.flops_per_second()}});
    }
    return list;
}

json not_measured(const std::string& name, const std::string& error) {
    return {{"name", name},
            {"address", nullptr},
            {"type", nullptr},
            {"total_bytes", nullptr},
            {"free_bytes", nullptr},
            {"memory_source", "unknown"},
            {"products", json::array()},
            {"flops_per_second", 0},
            {"flops_per_sample", 0},
            {"error", error}};
}

}  // namespace

Result<json> probe_json(const Request& request, RunContext& context) {
    if (context.device == nullptr)
        return not_measured("the host", "This worker has no OpenCL device.");
    const auto& shape = request.report.shape;
    opencl::Programs programs(*context.device,
                              opencl::ProgramCache(context.settings.cache / "programs"));
    const auto seen =
        tr::probe_device(programs, tr::matrix_shapes(shape), kEach, context.progress, context.stop);
    const auto& device = context.device->info();
    if (!seen && seen.error().code == Errc::cancelled) return fail(seen.error());
    if (!seen) return not_measured(device.name, seen.error().message);
    return json{{"name", device.name},
                {"address", opencl::to_string(device.address)},
                {"type", opencl::to_string(device.type)},
                {"total_bytes", or_null(seen->total_bytes)},
                {"free_bytes", or_null(seen->free_bytes)},
                {"memory_source", seen->memory_source},
                {"products", products_json(*seen)},
                {"flops_per_second", seen->flops_per_second()},
                {"flops_per_sample", tr::matrix_flops_per_sample(shape, request.report.settings)},
                {"error", nullptr}};
}

}  // namespace plimsoll::jobs::training_config
