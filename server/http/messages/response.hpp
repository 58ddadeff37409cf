#pragma once

#include "engine/base/result.hpp"
#include "server/http/messages/request.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json_fwd.hpp>

namespace plimsoll::http {

// An answer that is made while it is sent. The next piece is asked for only when the one before
// has gone to the client: a slow client holds one piece in memory and nothing else.
class BodyStream {
  public:
    virtual ~BodyStream() = default;
    // Nothing: the end. An error or an exception cuts the answer off, so that the client sees that
    // it is incomplete. An empty piece sends nothing: a stream that waits for news answers one now
    // and then, so that the connection looks whether its client is still there.
    virtual boost::asio::awaitable<Result<std::optional<std::string>>> next() = 0;
};

struct Response {
    int status = 200;
    std::vector<Header> headers;
    std::string body;
    std::unique_ptr<BodyStream> stream;   // instead of `body`
    std::optional<std::uint64_t> length;  // of the stream, where that is known before it is made

    Response& with(std::string name, std::string value) {
        headers.push_back({std::move(name), std::move(value)});
        return *this;
    }
};

// Answers carry what belongs to one caller: they are never stored by caches (`Cache-Control:
// no-store`) unless the caller of these functions says otherwise.
Response json_response(int status, const nlohmann::json& body);
// `text` is JSON already.
Response json_text_response(int status, std::string text);
Response empty_response(int status);
Response text_response(std::string media_type, std::string body);

}  // namespace plimsoll::http
