#pragma once

#include "engine/training/advice/diagnosis.hpp"

#include <string_view>
#include <vector>

namespace plimsoll::training {

// A member of an observation that no rule of diagnose() uses along with the others, whatever its
// value.
struct UnusedObservation {
    std::string_view member;  // "cpu_cores"
    std::string_view why;
};

// `has_estimate`: the machine, the largest batch and the modelled step come from an estimate, and
// were not observed.
std::vector<UnusedObservation> unused_observations(const Observation& seen, bool has_estimate);

}  // namespace plimsoll::training
