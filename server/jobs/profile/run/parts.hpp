#pragma once

#include "engine/base/watch.hpp"
#include "engine/opencl/device.hpp"
#include "server/jobs/profile/contract/request.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {

using Json = nlohmann::ordered_json;

// What a part leaves: its place in the report is the area's affair; here is the row of the results
// that sums it up ("name", "value", "unit", "batch", "median_ms" … as far as it has them).
struct PartResult {
    Json row;
};

// One area of a profile: measures its parts one by one, and tells what it found.
class Area {
  public:
    virtual ~Area() = default;
    // `part` without the area's name: "peak".
    virtual Result<PartResult> measure(std::string_view part) = 0;
    // The area's member of the report, of the parts that could be measured.
    virtual Json report() const = 0;
};

// The device itself. Errc::unavailable is an item's error when there is no device.
std::unique_ptr<Area> engine_area(const Request& request, opencl::Device* device, Watch watch);

// A language model behind an endpoint; one entry of the guide's `results`.
std::unique_ptr<Area> llm_area(const Request& request, Watch watch);

// A sentiment model; one entry of the guide's `results`.
std::unique_ptr<Area> sentiment_area(const Request& request, Watch watch);

}  // namespace plimsoll::jobs::profile
