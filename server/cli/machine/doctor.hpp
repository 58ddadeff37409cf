#pragma once

#include "engine/base/result.hpp"
#include "server/app/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::cli {

// What is there, as far as it could be found out without changing anything.
struct DoctorFacts {
    std::string version;
    bool embedded_database = true;          // the settings name none
    std::vector<int> postgres_versions;     // installed servers, by major version
    std::optional<Error> database_problem;  // why it does not answer; none: it does
    std::string address;                    // that `serve` would listen at
    std::optional<Error> address_problem;   // why it cannot just now
    Result<std::string> probe;              // the devices, as `plimsoll-engine probe --json` says
    bool second_queue = false;              // the setting devices.second_queue
    std::optional<std::uint64_t> memory_free_bytes;
    std::string data_directory;
    std::optional<std::uint64_t> disk_free_bytes;
};

struct Finding {
    enum class Grade { good, remark, bad };
    Grade grade = Grade::good;
    std::string about;   // "PostgreSQL"
    std::string found;   // a clause or a sentence
    std::string advice;  // what to do; empty when there is nothing to do
};

std::vector<Finding> judge(const DoctorFacts& facts);
DoctorFacts gather_facts(const app::Settings& settings);

}  // namespace plimsoll::cli
