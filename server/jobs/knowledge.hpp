#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the server knows beside the arguments of a job. It keeps these things and does not
// understand them: their meaning is the kind's.
namespace plimsoll::jobs {

struct KindSettings;

// Records of one sort that a team keeps for a kind. Their statements are
// `records.<name>.list`, `.put` and `.remove` in the kind's `store/<name>.sql`.
struct Collection {
    std::string_view name;  // of all kinds together, each name once
    int most = 0;           // that a team has
    int completing = 0;     // that Contract::complete gets: the first of the list
};

struct TeamRecord {
    std::string id;            // chosen by the team, or a number of the database's
    std::string key;           // what the kind looks it up by; set by the store
    std::optional<JobId> job;  // that it belongs to; may outlive the job
    std::string data;          // JSON text
    Timestamp created_at;      // or replaced at; set by the store
};

struct PoolDevice {
    std::string node;
    std::string name;
    std::int64_t memory_bytes = 0;
};

struct Knowledge {
    std::map<std::string_view, std::vector<TeamRecord>> records;  // of Contract::collections
    std::vector<PoolDevice> devices;                              // GPUs that are ready
    // What kinds say that they can do on devices that are ready (Abilities::offer), each a JSON
    // object from a kind's name to its offer.
    std::vector<std::string> offers;
    Timestamp at = {};  // when the job starts, if nothing holds it up
    const KindSettings* settings = nullptr;
};

}  // namespace plimsoll::jobs
