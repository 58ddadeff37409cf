#pragma once

#include "server/base/awaitable.hpp"
#include "server/http/api/cursors.hpp"
#include "server/http/contract/parameters.hpp"
#include "server/http/messages/application.hpp"
#include "server/http/messages/problem.hpp"
#include "server/identity/identity.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::http {

// One call of an operation, validated against the contract.
struct Call {
    const Request& request;
    const Operation& operation;
    const Parameters& parameters;
    const nlohmann::json& body;            // null for operations without one
    const std::string& body_fingerprint;   // of its values; empty without an Idempotency-Key
    BodySource* stream;                    // in its place for streamed bodies
    const identity::Principal& principal;  // default-constructed for open operations
    const Cursors& cursors;                // of this operation and caller
};

// Runs on the I/O thread: may suspend (co_await), must never block. May throw Refused.
using Handler = std::function<awaitable<Response>(const Call&)>;

// The handler's response, or why it refused.
awaitable<Outcome<Response>> respond(const Call& call, const Handler& handler);

// By operationId.
using Handlers = std::map<std::string, Handler, std::less<>>;

// Adds member functions of one object as handlers.
template <class Object>
class Members {
  public:
    Members(Handlers& handlers, std::shared_ptr<Object> object)
        : handlers_(handlers), object_(std::move(object)) {}

    template <class Member>
    void operator()(const char* operation, Member member) const {
        handlers_[operation] = [object = object_, member](const Call& call) {
            return (*object.*member)(call);
        };
    }

  private:
    Handlers& handlers_;
    std::shared_ptr<Object> object_;
};

}  // namespace plimsoll::http
