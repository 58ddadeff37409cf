#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/http/messages/request.hpp"

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json_fwd.hpp>

namespace plimsoll::http {

// A response body produced while it is sent. The next piece is requested only after the previous
// one was sent, so a slow client holds one piece in memory.
class BodyStream {
  public:
    virtual ~BodyStream() = default;
    // The next piece; nullopt at the end. An error or exception aborts the response, so that the
    // client sees it is incomplete. An empty piece sends nothing: an idle stream returns one now
    // and then so that the connection checks whether its client is still there.
    virtual awaitable<Result<std::optional<std::string>>> next() = 0;
};

struct Response {
    int status = 200;
    std::vector<Header> headers;
    std::string body;
    std::string_view document;            // instead of `body`: a text that outlives the server
    std::unique_ptr<BodyStream> stream;   // instead of `body`
    std::optional<std::uint64_t> length;  // of the stream, where that is known before it is made

    // Of a response without a stream.
    std::string_view content() const { return document.empty() ? body : document; }

    Response& with(std::string name, std::string value) {
        headers.push_back({std::move(name), std::move(value)});
        return *this;
    }
};

// Responses belong to one caller and are not cached (`Cache-Control: no-store`; with an ETag
// `private, no-cache`) unless the caller of these functions sets another value.
Response json_response(int status, const nlohmann::json& body);
// `text` is JSON text.
Response json_text_response(int status, std::string text);
Response empty_response(int status);
// With the URL of what was made or changed.
Response located(Response response, std::string url);
Response text_response(std::string media_type, std::string body);

// RFC 9110's IMF-fixdate.
std::string http_date(std::time_t time);

void append_header(std::string& head, std::string_view name, std::string_view value);

// Headers of every response: request id, date, and security headers against content sniffing,
// framing, referrer leaks and caching. A response's own Cache-Control and Content-Security-Policy
// take precedence.
void append_common_headers(std::string& head, const Response& response, const Request& request);

// Wraps a body as one gzip member, compressed on the pool piece by piece on demand.
std::unique_ptr<BodyStream> gzip_body(std::unique_ptr<BodyStream> content,
                                      boost::asio::thread_pool& pool);

}  // namespace plimsoll::http
