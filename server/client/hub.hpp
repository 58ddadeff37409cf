#pragma once

#include "server/client/download.hpp"

#include <string>

namespace plimsoll::client {

// Two plain names with a slash between: "Qwen/Qwen3-8B".
bool is_repository(const std::string& text);
// Letters, digits, '.', '_' and '-' alone go into an address.
bool is_plain(const std::string& text);

// `server` and `hosts` (separated by commas) are PLIMSOLL_HUB and PLIMSOLL_HUB_HOSTS, checked;
// where they are empty HF_ENDPOINT, else https://huggingface.co and its own hosts. The token is
// HF_TOKEN.
Result<Origin> hub_origin(const std::string& server, std::string hosts);

// An error of a request to a hub, in its words.
Error about(const Error& error, const Origin& hub, const std::string& repository);

}  // namespace plimsoll::client
