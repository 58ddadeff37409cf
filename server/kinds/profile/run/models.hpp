#pragma once

#include "engine/profiling/model_profile.hpp"
#include "server/kinds/profile/contract/request.hpp"

#include <cstdint>
#include <functional>

namespace plimsoll::jobs::profile {

struct SentimentModel {
    profiling::Model model;
    // Device memory recorded in the ledger when it was loaded; empty: it needs none.
    std::function<std::uint64_t()> held_bytes;
};

// The sentiment model of the request with texts of three lengths, "short", "medium" and "long". It
// must not outlive what `context` points to. Errc::unavailable: this worker no longer has it.
Result<SentimentModel> sentiment_model(const Request& request, const RunContext& context);

}  // namespace plimsoll::jobs::profile
