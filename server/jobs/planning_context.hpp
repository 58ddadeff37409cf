#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/jobs/settings.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// What the server knows besides a job's arguments. It stores this without interpreting it: the kind
// defines the meaning.
namespace plimsoll::jobs {

// Records of one type that a team, or each of its members, keeps.
struct Collection {
    std::string_view name;           // unique
    std::string_view singular = {};  // for messages
    std::string_view plural = {};
    int max = 0;  // of a team or member; 0: the server counts them, with `records.<name>.list` in
                  // the kind's store/<name>.sql
    int planning = 0;          // passed to Contract::plan: the first of the list
    bool is_named = false;     // people know a record by its name, not by a number
    bool of_members = false;   // a record is a member's own
    bool has_origins = false;  // lists tell who wrote a record, and its job only while that exists
    std::string_view written = "put";  // what the audit log calls a write; empty: it has none
};

struct TeamRecord {
    std::string id;            // the name, or the number from the store
    std::string section;       // what it is kept under: a job kind, a page, a comparison key
    std::string name;          // unique in its section; empty: it has none
    std::optional<JobId> job;  // the job of the report that it belongs to; may outlive it
    std::string data;          // JSON text
    std::string author;        // the name of who wrote it last; empty: deleted, or not asked for
    Timestamp created_at;      // set by the store, like the next one
    Timestamp updated_at;
};

struct PoolDevice {
    std::string node;
    std::string name;
    std::int64_t memory_bytes = 0;
};

// What planning needs to know of it.
struct Needs {
    bool pool = false;                            // devices and offers
    std::set<std::string_view> collections = {};  // records of these
};

struct PlanningContext {
    TeamId team;                                                  // that the job belongs to
    std::map<std::string_view, std::vector<TeamRecord>> records;  // by Needs::collections
    std::vector<PoolDevice> devices;                              // GPUs of ready devices
    // Advertisements of ready devices (Capabilities::advertisement), each a JSON object from a
    // kind's name to its advertisement.
    std::vector<std::string> advertisements;
    // Those of devices that are not ready but may come back, for example after a restart: a job
    // may name what they have, and wait for them.
    std::vector<std::string> absent_advertisements = {};
    Timestamp at = {};  // when the job starts, unless delayed
    const KindSettings* settings = &kDefaultSettings;

    const std::vector<TeamRecord>& records_of(const Collection& collection) const {
        static const std::vector<TeamRecord> kNone;
        const auto found = records.find(collection.name);
        return found == records.end() ? kNone : found->second;
    }
};

}  // namespace plimsoll::jobs
