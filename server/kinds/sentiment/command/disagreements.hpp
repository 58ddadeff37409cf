#pragma once

#include "engine/base/result.hpp"
#include "server/client/api_client.hpp"

#include <cstdint>
#include <string>

namespace plimsoll::jobs::sentiment {

// Writes the texts of a comparison on which its models disagree, one JSON line each: index,
// custom_id, text (whole), label (as given, else null) and the label of each model, for people to
// label and train with. Returns their number.
Result<std::int64_t> write_disagreements(client::ApiClient& api, const std::string& job_id,
                                         const std::string& file);

}  // namespace plimsoll::jobs::sentiment
