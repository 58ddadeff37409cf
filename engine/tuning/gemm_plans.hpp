#pragma once

#include "engine/routines/gemm.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace plimsoll::tuning {

// Products that share a plan: equal n and k, and a similar number of rows.
struct Bucket {
    routines::Method method = routines::Method::block_fp32;
    std::uint32_t m = 0;  // m rounded up to 32, 64, 128, 256 or 1024; larger m become 1024
    std::uint32_t n = 0;
    std::uint32_t k = 0;

    auto operator<=>(const Bucket&) const = default;
};

Bucket bucket_of(routines::Method method, std::uint32_t m, std::uint32_t n, std::uint32_t k);

// The plans tuned for one device, with defaults for everything else. Saved as JSON with the version
// of the format and the identity of device and driver: plans of another device are not used.
class Plans {
  public:
    explicit Plans(const opencl::DeviceInfo& device);

    routines::GemmPlan plan_for(const Bucket& bucket) const;
    bool has(const Bucket& bucket) const { return plans_.contains(bucket); }
    void keep(const Bucket& bucket, const routines::GemmPlan& plan);
    std::size_t size() const { return plans_.size(); }

    // Adds the file's plans. Errc::not_found without a file; Errc::corrupt, adding nothing, when it
    // is damaged, from another version or device, or holds an invalid plan.
    Result<void> read(const std::filesystem::path& file);

    // Replaces the file atomically. Errc::unavailable when it cannot be written.
    Result<void> write(const std::filesystem::path& file) const;

  private:
    std::string device_;
    std::uint32_t compute_units_;
    std::map<Bucket, routines::GemmPlan> plans_;
};

// Path of a device's plans file, in the folder of compiled kernels.
std::filesystem::path plans_file(const std::filesystem::path& cache,
                                 const opencl::DeviceAddress& address);

}  // namespace plimsoll::tuning
