#include "server/worker/device/device_log.hpp"

#include "engine/telemetry/json.hpp"
#include "server/base/log.hpp"

#include <algorithm>

namespace plimsoll::worker {

namespace {
constexpr std::chrono::seconds kBetweenLines{10};
}

void DeviceLog::tell(const std::string& device, const telemetry::Snapshot& snapshot) {
    std::vector<std::string> now;
    for (const auto& warning : snapshot.warnings) {
        if (std::ranges::find(warned_of_, warning.code) == warned_of_.end()) {
            log::warn("device warning",
                      {{"device", device}, {"warning", warning.code}, {"reason", warning.message}});
        }
        now.push_back(warning.code);
    }
    for (const auto& code : warned_of_)
        if (std::ranges::find(now, code) == now.end())
            log::info("device warning cleared", {{"device", device}, {"warning", code}});
    warned_of_ = std::move(now);
    if (!readings_ || (last_line_ && snapshot.at < *last_line_ + kBetweenLines)) return;
    last_line_ = snapshot.at;
    log::info("device", {{"device", device}, {"reading", telemetry::to_text(snapshot.reading)}});
}

}  // namespace plimsoll::worker
