#pragma once

#include "engine/base/result.hpp"
#include "server/app/settings.hpp"
#include "server/cli/machine/serving.hpp"
#include "server/terminal/finding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::cli {

using terminal::Finding;

// What is there, as far as it could be found out without changing anything.
struct DoctorFacts {
    std::string version;
    bool embedded_database = true;          // the settings name none
    std::vector<int> postgres_versions;     // installed servers, by major version
    std::optional<Error> database_problem;  // why it does not answer; none: it does
    std::string address;                    // that `serve` would listen at
    std::optional<Error> address_problem;   // why it cannot just now
    Result<std::string> probe;              // the devices, as `plimsoll-engine probe --json` says
    std::vector<ServingProcess> servers;    // that run on this machine
    std::string signed_in_to;               // the server of the command line; empty: none
    std::optional<Error> sign_in_problem;   // why it does not take this command line
    std::vector<Finding> of_kinds;          // what job kinds found
    bool second_queue = false;              // the setting devices.second_queue
    std::optional<std::uint64_t> memory_free_bytes;
    std::string data_directory;
    std::optional<std::uint64_t> disk_free_bytes;
};

std::vector<Finding> judge(const DoctorFacts& facts);
DoctorFacts gather_facts(const app::Settings& settings);
nlohmann::json findings_json(const std::vector<Finding>& findings);

}  // namespace plimsoll::cli
