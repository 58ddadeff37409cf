#pragma once

#include "server/jobs/kind.hpp"

#include <atomic>
#include <semaphore>

namespace plimsoll::worker {

// Kinds that exist in tests only. A task of "gate" reports that it runs and waits to be let
// through, without showing progress; one of "obedient" runs until it is asked to stop. Tasks of
// "shared" with the same args run together: "break" and "throw" prevent that for all of them,
// "unreadable" fails alone, "stopped" stops; the work of a task is the length of its input.
struct Gate {
    std::counting_semaphore<> entered{0};
    std::counting_semaphore<> open{0};
};
extern Gate gate;

// How often args were parsed, by any of the kinds; those that are "broken" throw.
extern std::atomic<int> parsed;

const jobs::Run* find_test_kind(std::string_view name, int version);

}  // namespace plimsoll::worker
