#pragma once

#include "engine/training/advice/report.hpp"

#include <functional>
#include <string>
#include <vector>

namespace plimsoll::training {

// What a what-if asks: another setting of the same run.
struct SettingsChange {
    std::string name;
    std::function<bool(const TrainingSettings&)> applies;
    std::function<void(TrainingSettings&)> make;
    double safety = 0;  // the margin instead of the request's, if not 0
};

// From the cheapest sacrifice on: first what changes no result, then what takes time, precision or
// freedom of the weights.
std::vector<SettingsChange> changes_of(const ReportRequest& request, const GpuProfile& gpu);
// What is given up when these are not enough.
std::vector<SettingsChange> last_changes_of(const ReportRequest& request);
// What copies to and from the host's memory in every step, which the speed does not count; the
// least of it first.
std::vector<SettingsChange> offloads(bool bf16);
SettingsChange more_cards(int cards, bool bf16);

}  // namespace plimsoll::training
