#pragma once

#include "engine/training/advice/report.hpp"

#include <map>
#include <string>
#include <tuple>

namespace plimsoll::training {

// The tapes of a report's runs and what they reserve, each found once: cards of one kind share
// them.
class RunFootprints {
  public:
    // The request outlives this.
    explicit RunFootprints(const ReportRequest& request) : r_(request) {}
    // `change`: the name of what differs from the request, empty for nothing. `precision`: that of
    // the card's own run.
    FootprintByBatch& of(const std::string& change, const TrainingSettings& settings,
                         Precision precision, const TapeDevice& device);

  private:
    using DeviceKey = std::tuple<int, int, int>;

    const ReportRequest& r_;
    ReservedPeaks peaks_;
    std::map<std::tuple<std::string, int, Precision, int>, RunTapes> tapes_;  // by generation
    std::map<std::tuple<std::string, int, Precision, DeviceKey>, FootprintByBatch> known_;
};

// Adds to a card's report what changes of its settings would do. `stuck`: not even one sample fits.
// Then the fewest changes with which it does, or many, and how many cards would do.
void add_what_ifs(const ReportRequest& request, const TrainingSettings& settings,
                  RunFootprints& footprints, bool stuck, GpuReport& card);

}  // namespace plimsoll::training
