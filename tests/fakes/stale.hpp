#pragma once

#include "server/base/author.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::fakes {

// Whether the author saw something other than what can be edited now.
inline bool stale(const Author& author, const nlohmann::json& editable) {
    return author.seen && nlohmann::json::parse(*author.seen) != editable;
}

}  // namespace plimsoll::fakes
