#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/fair_budget.hpp"
#include "server/http/messages/response.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

// Interface between connections and the rest of the server. A request is handled in two steps, so
// that a body is read only if caller and path may send one.
namespace plimsoll::http {

// Labels of a request in logs and metrics.
struct Subject {
    std::string_view operation = "none";  // operationId, "page", or none when the path is not known
    std::string team = {};                // public id; empty before the caller is known
};

// A request body read piece by piece; only one piece is in memory.
class BodySource {
  public:
    virtual ~BodySource() = default;
    // The next piece; nullopt at the end. An error: the body was cut off or is too large.
    virtual awaitable<Result<std::optional<std::string>>> next() = 0;
};

class Exchange {
  public:
    virtual ~Exchange() = default;
    // The response, if the head alone decides it.
    virtual awaitable<std::optional<Response>> admit(const Request& head) = 0;
    // Largest body of an admitted request, in bytes.
    virtual std::size_t body_limit() const = 0;
    // Whether the handler reads the body as a stream.
    virtual bool takes_stream() const { return false; }
    // `request`: the admitted one with its body, or with `stream` instead.
    virtual awaitable<Response> answer(const Request& request, BodySource* stream) = 0;
    // Available from admission on, as far as known.
    virtual Subject subject() const = 0;
    // The holder to whom the memory of the request's body and of its response is charged.
    virtual FairBudget::Holder holder(const Request& head) const = 0;
};

class Application {
  public:
    virtual ~Application() = default;
    virtual std::unique_ptr<Exchange> exchange() = 0;
    // Much memory of bodies or responses has been freed.
    virtual void memory_freed() {}
};

}  // namespace plimsoll::http
