#include "engine/tuning/gemm_plans.hpp"

#include "engine/base/replace_file.hpp"

#include <array>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace plimsoll::tuning {

namespace {

using Json = nlohmann::ordered_json;
using routines::GemmPlan;
using routines::Method;

// Version of the format and of kernels/gemm/gemm_block.cl: plans tuned for an older kernel may not
// be the fastest.
constexpr int kVersion = 4;
constexpr std::array kRows{32U, 64U, 128U, 256U, 1024U};

Method method_of(const std::string& name) {
    if (const auto method = routines::parse_method(name)) return *method;
    throw std::invalid_argument("unknown method " + name);
}

Json json_of(const Bucket& bucket, const GemmPlan& plan) {
    return {{"method", to_string(bucket.method)},
            {"m", bucket.m},
            {"n", bucket.n},
            {"k", bucket.k},
            {"rows", plan.rows},
            {"vectors", plan.vectors},
            {"depth", plan.depth},
            {"row_panels", plan.row_panels},
            {"column_panels", plan.column_panels}};
}

std::pair<Bucket, GemmPlan> entry_of(const Json& json) {
    const auto number = [&](const char* key) { return json.at(key).get<std::uint32_t>(); };
    const auto method = method_of(json.at("method").get<std::string>());
    const GemmPlan plan{method,          number("rows"),       number("vectors"),
                        number("depth"), number("row_panels"), number("column_panels")};
    if (const auto sound = check(plan); !sound) throw std::invalid_argument(sound.error().message);
    return {Bucket{method, number("m"), number("n"), number("k")}, plan};
}

}  // namespace

Bucket bucket_of(Method method, std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    for (const auto rows : kRows)
        if (m <= rows) return {method, rows, n, k};
    return {method, kRows.back(), n, k};
}

Plans::Plans(const opencl::DeviceInfo& device)
    : device_(device.name + " / " + device.platform_version + " / " + device.driver_version),
      compute_units_(device.compute_units) {}

GemmPlan Plans::plan_for(const Bucket& bucket) const {
    const auto found = plans_.find(bucket);
    if (found != plans_.end()) return found->second;
    return routines::default_plan(bucket.method, compute_units_, bucket.m, bucket.n);
}

void Plans::keep(const Bucket& bucket, const GemmPlan& plan) {
    plans_.insert_or_assign(bucket, plan);
}

Result<void> Plans::read(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) return fail(Errc::not_found, "There is no plan file.", file.string());
    try {
        const auto json = Json::parse(in);
        if (json.at("version").get<int>() != kVersion || json.at("device") != device_) {
            return fail(Errc::corrupt, "The plans are for another version or device.",
                        file.string());
        }
        auto plans = plans_;
        for (const auto& entry : json.at("plans")) {
            const auto [bucket, plan] = entry_of(entry);
            plans.insert_or_assign(bucket, plan);
        }
        plans_ = std::move(plans);
        return {};
    } catch (const std::exception& e) {
        return fail(Errc::corrupt, std::string("Cannot read the plan file: ") + e.what(),
                    file.string());
    }
}

Result<void> Plans::write(const std::filesystem::path& file) const {
    Json entries = Json::array();
    for (const auto& [bucket, plan] : plans_) entries.push_back(json_of(bucket, plan));
    const Json json{{"version", kVersion}, {"device", device_}, {"plans", entries}};
    return replace_file(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::filesystem::path plans_file(const std::filesystem::path& cache,
                                 const opencl::DeviceAddress& address) {
    return cache / ("plans-" + address.platform + "-" + std::to_string(address.index) + ".json");
}

}  // namespace plimsoll::tuning
