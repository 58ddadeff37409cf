#pragma once

#include "server/jobs/kind.hpp"

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// How a job's models read its texts.
struct Reading {
    std::size_t texts = 0;  // of a batch, at most
    bool windows = false;   // a long text is read to its end, window by window, not truncated
};

// `args` are the plan's.
Reading reading_of(const nlohmann::json& args, const KindSettings& settings);

}  // namespace plimsoll::jobs::sentiment
