#pragma once

#include "server/cli/machine/doctor.hpp"

namespace plimsoll::cli {

// What a bug report needs, as JSON: version, system, settings, names of the environment variables
// that affect this program, devices and findings. Contains no secrets: secret settings, user names
// and queries of URLs, and values of variables with names like secrets are removed everywhere.
std::string bundle_text(const DoctorFacts& facts, const std::vector<Finding>& findings,
                        const app::Settings& settings);

// Writes it to a file that only its owner may read. Errc::conflict: the file exists.
Result<void> write_bundle(const std::string& file, const std::string& text);

}  // namespace plimsoll::cli
