#pragma once

#include "engine/base/result.hpp"
#include "server/client/api_client.hpp"
#include "server/terminal/terminal.hpp"

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::client {

// Larger files are uploaded as a dataset instead of being sent inside a job.
inline constexpr std::int64_t kInlineFileBytes = 8 << 20;
inline constexpr std::size_t kInlineItems = 10'000;

// Size of a regular file; Errc::invalid_input when it is none.
Result<std::int64_t> file_bytes(const std::string& file);

// Uploads a .csv or .jsonl file in parts, with a progress bar, and goes on by itself when the
// connection breaks or the server restarts. With an id it continues that dataset's upload. Answers
// the dataset as the API shows it.
Result<nlohmann::json> upload_file(ApiClient& api, const Terminal& terminal,
                                   const std::string& file, const std::string& name,
                                   const std::string& dataset_id = {});

}  // namespace plimsoll::client
