#pragma once

#include "server/client/api_client.hpp"
#include "server/terminal/terminal.hpp"

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::client {

// What every user command needs: where to write and, when signed in, whom to ask.
struct Session {
    Terminal terminal;
    bool json = false;  // print the server's JSON instead of text for people
    // A summary as the kind of job wants it read; empty text: it does not mind.
    std::function<std::string(const std::string& kind, const nlohmann::json& summary)> summary_text;
};

// The client of the server that `plimsoll login` signed in to.
Result<ApiClient> signed_in();

// Exit codes of the commands: 0 done, 1 the job failed or was cancelled, 2 bad usage or input,
// 3 not signed in or not allowed, 4 the server does not answer.
int report_error(const Session& session, const Error& error);

}  // namespace plimsoll::client
