#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plimsoll::queue {

// The uses of a thing, of one sort.
struct Users {
    struct User {
        std::string id;
        std::string name;  // empty: it has none
    };
    std::int64_t own = 0;        // of the team that asks
    std::vector<User> first;     // of them, at most 20
    std::int64_t elsewhere = 0;  // of other teams
};

// What depends on a thing of a kind, by sort: job (unfinished ones), schedule, and the kind's own
// collections.
using Uses = std::map<std::string, Users>;

}  // namespace plimsoll::queue
