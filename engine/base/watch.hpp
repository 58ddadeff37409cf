#pragma once

#include "engine/base/progress.hpp"

#include <stop_token>

namespace plimsoll {

// A long computation polls this every few milliseconds: it shows progress and asks whether to stop.
struct Watch {
    std::stop_token stop = {};
    Progress* progress = nullptr;

    bool stopped() const {
        if (progress != nullptr) progress->beat();
        return stop.stop_requested();
    }
};

}  // namespace plimsoll
