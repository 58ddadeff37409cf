#pragma once

#include "server/jobs/kind.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// A device that scored texts.
struct DeviceUsed {
    std::string node;
    std::string device;           // "opencl:pocl:0", "host"
    std::string name;             // empty: of the host
    std::string processor_class;  // see opencl::DeviceInfo; empty: unknown

    bool operator<(const DeviceUsed& other) const {
        return std::tie(node, device, name, processor_class) <
               std::tie(other.node, other.device, other.name, other.processor_class);
    }
};
DeviceUsed device_of(const RunContext& context);

// The number of texts per device. Adding one task's numbers to another's gives those of both.
class DevicesUsed {
  public:
    void add(const DeviceUsed& device, std::int64_t items);
    void add(const DevicesUsed& other);

    nlohmann::json to_json() const;
    static DevicesUsed from_json(const nlohmann::json& stored);

    // "devices" of the report, by node.
    nlohmann::json summary() const;

  private:
    std::map<DeviceUsed, std::int64_t> items_;
};

}  // namespace plimsoll::jobs::sentiment
