#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::queue {

// Those of one sort that use a model.
struct ModelUsers {
    struct User {
        std::string id;
        std::string name;  // empty: it has none
    };
    std::int64_t own = 0;        // of the team that asks
    std::vector<User> first;     // of them, at most 20
    std::int64_t elsewhere = 0;  // of other teams
};

// What would miss a model, by its name.
struct ModelUse {
    ModelUsers jobs;  // that have not ended
    ModelUsers policies;
    ModelUsers schedules;
};

}  // namespace plimsoll::queue
