#pragma once

#include "server/http/messages/response.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

// What a connection needs of the rest of the server. A request comes in two steps, so that a body
// is read only for a caller and a path that may send one.
namespace plimsoll::http {

// What a request was about, as logs and metrics name it.
struct Subject {
    std::string_view operation = "none";  // operationId, "page", or none when the path is not known
    std::string team = {};                // public id; empty before the caller is known
};

// The body of a request, handed out while it comes in: memory stays within one piece.
class BodySource {
  public:
    virtual ~BodySource() = default;
    // Nothing: the end. An error: the rest will not come, or there is more than may come.
    virtual boost::asio::awaitable<Result<std::optional<std::string>>> next() = 0;
};

class Exchange {
  public:
    virtual ~Exchange() = default;
    // The answer, when the head alone decides it.
    virtual boost::asio::awaitable<std::optional<Response>> admit(const Request& head) = 0;
    // Bytes of body that an admitted request may send.
    virtual std::size_t body_limit() const = 0;
    // Whether the body is taken while it comes in.
    virtual bool takes_stream() const { return false; }
    // `request` is the admitted one, now with its body, or with `stream` in its place.
    virtual boost::asio::awaitable<Response> answer(const Request& request, BodySource* stream) = 0;
    // As far as it is known, from the admission on.
    virtual Subject subject() const = 0;
};

class Application {
  public:
    virtual ~Application() = default;
    virtual std::unique_ptr<Exchange> exchange() = 0;
};

}  // namespace plimsoll::http
