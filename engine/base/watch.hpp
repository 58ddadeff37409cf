#pragma once

#include "engine/base/progress.hpp"

#include <stop_token>

namespace plimsoll {

// What a long computation looks at every few milliseconds: it shows life and asks whether to go on.
struct Watch {
    std::stop_token stop = {};
    Progress* progress = nullptr;

    bool stopped() const {
        if (progress != nullptr) progress->beat();
        return stop.stop_requested();
    }
};

}  // namespace plimsoll
