#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the server knows besides a job's arguments. It stores this without interpreting it: the kind
// defines the meaning.
namespace plimsoll::jobs {

struct KindSettings;

// Records of one type that a team keeps for a kind. Their statements are `records.<name>.list`,
// `.put` and `.remove` in the kind's `store/<name>.sql`.
struct Collection {
    std::string_view name;  // unique among all kinds
    int most = 0;           // per team; 0: the server counts it, and it has only `.list`
    int completing = 0;     // passed to Contract::complete: the first of the list
};

struct TeamRecord {
    std::string id;            // chosen by the team, or numbered by the database
    std::string key;           // look-up key of the kind; set by the store
    std::optional<JobId> job;  // the job it belongs to; may outlive it
    std::string data;          // JSON text
    Timestamp created_at;      // of creation or replacement; set by the store
};

struct PoolDevice {
    std::string node;
    std::string name;
    std::int64_t memory_bytes = 0;
};

struct Knowledge {
    TeamId team;                                                  // that the job belongs to
    std::map<std::string_view, std::vector<TeamRecord>> records;  // of Contract::collections
    std::vector<PoolDevice> devices;                              // GPUs of ready devices
    // Offers of ready devices (Abilities::offer), each a JSON object from a kind's name to its
    // offer.
    std::vector<std::string> offers;
    // Offers of devices that are not ready but may come back, for example after a restart: a job
    // may name what they have, and wait for them.
    std::vector<std::string> absent_offers = {};
    Timestamp at = {};  // when the job starts, unless delayed
    const KindSettings* settings = nullptr;
};

}  // namespace plimsoll::jobs
