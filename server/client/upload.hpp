#pragma once

#include "engine/base/result.hpp"
#include "server/client/api_client.hpp"

#include <cstdint>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::client {

// Larger files are uploaded as a dataset instead of being sent inside a job.
inline constexpr std::int64_t kInlineFileBytes = 8 << 20;
inline constexpr std::size_t kInlineItems = 10'000;

// Whether a file is a table, by its name: .csv, .tsv or .tab, with commas, semicolons, tabs or
// pipes. All others are JSON lines.
bool is_csv(const std::string& file);

// Size of a regular file; Errc::invalid_input if it is not one.
Result<std::int64_t> file_bytes(const std::string& file);

struct UploadRequest {
    std::string file;        // see is_csv()
    std::string name;        // for people; empty: the file's
    std::string dataset_id;  // the dataset whose upload is continued; empty: a new one
};

// Of `bytes_total`, `bytes_received` have arrived.
using UploadProgress = std::function<void(const std::string& dataset_id,
                                          std::int64_t bytes_received, std::int64_t bytes_total)>;

// Uploads a file in parts, and retries when the connection breaks or the server restarts. Calls
// `progress` before each part and after the last. Returns the dataset as the API shows it.
Result<nlohmann::json> upload_file(ApiClient& api, const UploadRequest& request,
                                   const UploadProgress& progress);

}  // namespace plimsoll::client
