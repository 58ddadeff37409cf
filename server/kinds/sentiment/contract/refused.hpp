#pragma once

#include "server/jobs/kind.hpp"

#include <string>
#include <utility>

namespace plimsoll::jobs::sentiment {

// One error for one field, for a check that stops at the first.
inline tl::unexpected<FieldErrors> refused(std::string pointer, std::string rule,
                                           std::string message) {
    return tl::unexpected(FieldErrors{{std::move(pointer), std::move(rule), std::move(message)}});
}

}  // namespace plimsoll::jobs::sentiment
