#pragma once

#include "engine/base/result.hpp"
#include "server/jobs/kind.hpp"

#include <string>

namespace plimsoll::planning {

// Why a job cannot be planned: the invalid arguments or, if there are none, the error.
struct Refusal {
    jobs::FieldErrors arguments;
    Error error;
    bool no_dataset = false;  // because the dataset does not exist or was deleted

    Refusal(jobs::FieldErrors errors) : arguments(std::move(errors)) {}
    Refusal(Error failure) : error(std::move(failure)) {}
};

// One sentence for people: "/texts/3: The text is empty."
std::string to_text(const Refusal& refusal);

}  // namespace plimsoll::planning
