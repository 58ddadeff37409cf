#pragma once

#include "server/http/api/cursors.hpp"
#include "server/http/contract/parameters.hpp"
#include "server/http/messages/application.hpp"
#include "server/http/messages/problem.hpp"
#include "server/identity/identity.hpp"

#include <functional>
#include <map>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::http {

// One call of an operation, validated against the contract.
struct Call {
    const Request& request;
    const Operation& operation;
    const Parameters& parameters;
    const nlohmann::json& body;            // null for operations without one
    BodySource* stream;                    // in its place for streamed bodies
    const identity::Principal& principal;  // default-constructed for open operations
    const Cursors& cursors;                // of this operation and caller
};

// Runs on the I/O thread: may suspend (co_await), must never block.
using Handler = std::function<boost::asio::awaitable<Outcome<Response>>(const Call&)>;

// By operationId.
using Handlers = std::map<std::string, Handler, std::less<>>;

}  // namespace plimsoll::http
