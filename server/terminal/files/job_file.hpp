#pragma once

#include "engine/base/result.hpp"
#include "server/client/api_client.hpp"
#include "server/terminal/files/input_file.hpp"
#include "server/terminal/terminal.hpp"

#include <string>
#include <vector>

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

}  // namespace plimsoll::terminal
