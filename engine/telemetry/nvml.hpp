#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

// NVIDIA's management library, loaded at run time: neither the build nor machines without such a
// GPU need it. Names, structures and constants are those of its public header nvml.h.
namespace plimsoll::telemetry::nvml {

using Device = void*;

struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

class Library {
  public:
    // Errc::unavailable without the library or its driver.
    static Result<std::shared_ptr<const Library>> load(const std::string& name);

    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    // The GPU at this PCI address, "0000:3b:00.0"; Errc::not_found when there is none.
    Result<Device> device_at(const std::string& pci_address) const;

    // Nothing where the GPU or this library version does not report it.
    std::optional<Memory> memory(Device device) const;
    std::optional<unsigned> utilization_percent(Device device) const;
    std::optional<unsigned> temperature_celsius(Device device) const;
    std::optional<unsigned> power_milliwatts(Device device) const;
    std::optional<unsigned> power_limit_milliwatts(Device device) const;
    std::optional<unsigned> clock_mhz(Device device) const;
    std::optional<unsigned> memory_clock_mhz(Device device) const;
    std::optional<std::uint64_t> uncorrected_errors(Device device) const;
    // Memory of the process with this PID; in a container the PIDs may be the host's.
    std::optional<std::uint64_t> memory_of_process(Device device, unsigned pid) const;

    // From now on device faults are queued; next_fault() takes the oldest.
    void watch_faults(Device device) const;
    std::optional<std::uint64_t> next_fault() const;

  private:
    Library() = default;
    struct Functions;

    void* handle_ = nullptr;
    std::unique_ptr<Functions> call_;
    mutable void* faults_ = nullptr;
};

}  // namespace plimsoll::telemetry::nvml
