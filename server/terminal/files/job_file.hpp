#pragma once

#include "engine/base/result.hpp"
#include "server/client/api_client.hpp"
#include "server/client/upload.hpp"
#include "server/terminal/files/input_file.hpp"
#include "server/terminal/terminal.hpp"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::terminal {

// How a kind reads its files; see read_input_file, for kinds of items.
using ReadFile = Result<JobInput> (*)(const std::string& file,
                                      const std::vector<std::string>& columns);

// A job's arguments from a file, which is uploaded as a dataset if it is too long for one request.
// Reports on standard error how it was understood and what is omitted.
Result<nlohmann::json> args_of_file(client::ApiClient& api, const Terminal& terminal,
                                    const std::string& file,
                                    const std::vector<std::string>& columns,
                                    ReadFile read_file = read_input_file);

// For kinds without records: complete arguments from a .json file. Errc::invalid_input if it is a
// file of records, or columns are given.
Result<JobInput> read_arguments_file(const std::string& file,
                                     const std::vector<std::string>& columns);

// client::upload_file() with a progress bar, and a note on how to resume an interrupted upload.
Result<nlohmann::json> upload_with_bar(const Terminal& terminal, client::ApiClient& api,
                                       const client::UploadRequest& request);

}  // namespace plimsoll::terminal
