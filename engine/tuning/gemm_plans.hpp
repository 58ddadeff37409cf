#pragma once

#include "engine/routines/gemm.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

namespace plimsoll::tuning {

// Which products share a plan: those with one B and about as many rows.
struct Bucket {
    routines::Method method = routines::Method::block_fp32;
    std::uint32_t m = 0;  // 32, 64, 128, 256 or 1024: the least that is not below, or 1024
    std::uint32_t n = 0;
    std::uint32_t k = 0;

    auto operator<=>(const Bucket&) const = default;
};

Bucket bucket_of(routines::Method method, std::uint32_t m, std::uint32_t n, std::uint32_t k);

// The plans found for one device, and defaults for what nobody tuned. Kept as JSON with the version
// of the format and all that names the device and its driver: plans of another one are of no use.
class Plans {
  public:
    explicit Plans(const opencl::DeviceInfo& device);

    routines::GemmPlan plan_for(const Bucket& bucket) const;
    void keep(const Bucket& bucket, const routines::GemmPlan& plan);
    std::size_t size() const { return plans_.size(); }

    // Adds what the file has. Errc::not_found without a file; Errc::corrupt when it is damaged, of
    // another version or device, or holds a plan that nobody can run: nothing of it is taken then.
    Result<void> read(const std::filesystem::path& file);

    // Replaces the file as a whole. Errc::unavailable when it cannot be written.
    Result<void> write(const std::filesystem::path& file) const;

  private:
    std::string device_;
    std::uint32_t compute_units_;
    std::map<Bucket, routines::GemmPlan> plans_;
};

// Where the plans of a device of this machine are kept, in the folder of compiled kernels.
std::filesystem::path plans_file(const std::filesystem::path& cache,
                                 const opencl::DeviceAddress& address);

}  // namespace plimsoll::tuning
