#pragma once

#include "server/base/time.hpp"
#include "server/kinds/sentiment/contract/models.hpp"

#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// Usage of an hour, by the model that the jobs' lanes name; empty: vader.
struct UseOfHour {
    Timestamp start;
    std::string model;  // resident_name()
    double seconds = 0;
    std::int64_t texts = 0;
};

struct PolicyReportQuestion {
    Timestamp from;  // a full hour
    int hours = 24;
    std::string against;  // the fixed model
};

// SentimentPolicyReport: the usage of the models that policies and jobs chose, compared with that
// of the fixed model for the same texts. `models`: those that workers have.
nlohmann::json policy_report(std::span<const UseOfHour> use, std::span<const Manifest> models,
                             const PolicyReportQuestion& question);

}  // namespace plimsoll::jobs::sentiment
