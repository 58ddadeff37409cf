#pragma once

#include "server/client/upload.hpp"
#include "server/terminal/terminal.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::terminal {

// client::upload_file() with a progress bar, and a note on how to resume an interrupted upload.
Result<nlohmann::json> upload_with_bar(const Terminal& terminal, client::ApiClient& api,
                                       const client::UploadRequest& request);

}  // namespace plimsoll::terminal
