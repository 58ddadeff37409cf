#pragma once

#include "engine/base/watch.hpp"
#include "engine/models/manifest.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace plimsoll::jobs::sentiment {

// How work on a model reports its progress.
enum class Telling {
    bar,    // to people
    lines,  // to programs: {"title", "done", "total"}, bytes, one JSON object per line
};

// Runs `work` and reports its progress, counted in bytes. SIGINT and SIGTERM stop it:
// Errc::cancelled.
Result<models::Manifest> watched(const terminal::CommandContext& context, Telling telling,
                                 const std::string& title, std::uint64_t bytes,
                                 const std::function<Result<models::Manifest>(const Watch&)>& work);

}  // namespace plimsoll::jobs::sentiment
