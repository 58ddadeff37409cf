#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plimsoll::queue {

// Those of one sort that use a thing.
struct Users {
    struct User {
        std::string id;
        std::string name;  // empty: it has none
    };
    std::int64_t own = 0;        // of the team that asks
    std::vector<User> first;     // of them, at most 20
    std::int64_t elsewhere = 0;  // of other teams
};

// What would miss a thing of a kind, by sort: job (unfinished ones), schedule, and the kind's own
// collections.
using Uses = std::map<std::string, Users>;

}  // namespace plimsoll::queue
