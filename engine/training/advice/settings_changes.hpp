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
};

std::vector<SettingsChange> changes_of(const ReportRequest& request, const GpuProfile& gpu);
SettingsChange more_cards(int cards);

}  // namespace plimsoll::training
