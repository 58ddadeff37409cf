#pragma once

#include <filesystem>
#include <string>

namespace plimsoll::postgres {

// The last lines of a log, at most about 1 KiB, without a newline at the end; empty if it cannot be
// read. Links are not followed: the folder is another user's.
std::string log_tail(const std::filesystem::path& file);

}  // namespace plimsoll::postgres
