#pragma once

#include "engine/base/result.hpp"
#include "server/app/settings.hpp"
#include "server/cli/machine/serve.hpp"
#include "server/postgres/cluster/embedded_layout.hpp"
#include "server/postgres/schema/session.hpp"
#include "server/terminal/finding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::cli {

using terminal::Finding;

// The state of the machine. Only an object is written, to the object store, and deleted.
struct DoctorFacts {
    std::string version;
    bool embedded_database = true;  // no database is configured
    std::vector<postgres::InstalledServer> postgres_servers;
    std::optional<Error> database_problem;         // why it does not respond; none: it responds
    std::vector<postgres::Unsuitable> unsuitable;  // of the database's settings
    std::string address;                           // where `serve` would listen
    std::optional<Error> address_problem;          // why it cannot listen there now
    Result<std::string> probe;  // the devices, as reported by `plimsoll-engine probe --json`
    std::vector<ServingProcess> servers;   // servers that run on this machine
    std::string signed_in_to;              // the command line's current server; empty: none
    std::optional<Error> sign_in_problem;  // why it rejects the saved token
    bool has_object_store = false;
    std::optional<Error> object_store_problem;  // why it cannot be used
    std::vector<Finding> of_kinds;              // findings of the job kinds
    bool second_queue = false;                  // the setting devices.second_queue
    std::optional<std::uint64_t> memory_free_bytes;
    std::string data_directory;
    std::optional<std::uint64_t> disk_free_bytes;
};

// What the job kinds find on this machine.
std::vector<Finding> findings_of_kinds(const app::Settings& settings);
std::vector<Finding> judge(const DoctorFacts& facts);
DoctorFacts gather_facts(const app::Settings& settings);
nlohmann::json findings_json(const std::vector<Finding>& findings);

}  // namespace plimsoll::cli
