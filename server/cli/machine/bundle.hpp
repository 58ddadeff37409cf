#pragma once

#include "server/cli/machine/doctor.hpp"

namespace plimsoll::cli {

// What a bug report needs, as JSON: version, system, settings, names of the environment's variables
// that concern this program, devices and findings. No secrets: what settings keep, user names and
// queries of URLs, and values of variables named like secrets are left out wherever they stand.
std::string bundle_text(const DoctorFacts& facts, const std::vector<Finding>& findings,
                        const app::Settings& settings);

// That as a file that its owner alone may read. Errc::conflict: there is one.
Result<void> write_bundle(const std::string& file, const std::string& text);

}  // namespace plimsoll::cli
