#include "server/http/wire/response_writer.hpp"

#include "server/http/messages/response.hpp"

#include <boost/beast/http/status.hpp>

namespace plimsoll::http {
namespace {

namespace wire = boost::beast::http;

constexpr std::size_t kInitialBytes = 1024;  // bytes: an answer's head needs one allocation

// Nothing for a stream that ends with the connection.
std::optional<std::uint64_t> body_length(const Response& response) {
    if (response.stream) return response.length;
    const bool never_has_one = response.status == 204 || response.status == 304;
    return never_has_one ? std::nullopt : std::optional<std::uint64_t>(response.content().size());
}

void append_framing(std::string& head, const Response& response, Manner manner) {
    if (is_chunked(response, manner)) append_header(head, "Transfer-Encoding", "chunked");
    if (const auto length = body_length(response))
        append_header(head, "Content-Length", std::to_string(*length));
    if (manner.version >= 11 && !manner.keep_alive) append_header(head, "Connection", "close");
    if (manner.version < 11 && manner.keep_alive) append_header(head, "Connection", "keep-alive");
}

}  // namespace

bool is_chunked(const Response& response, Manner manner) {
    return response.stream && !response.length && manner.version >= 11;
}

std::string response_head(const Response& response, const Request& request, Manner manner) {
    std::string head;
    head.reserve(kInitialBytes);
    head += manner.version >= 11 ? "HTTP/1.1 " : "HTTP/1.0 ";
    head += std::to_string(response.status);
    head += ' ';
    head += wire::obsolete_reason(static_cast<wire::status>(response.status));
    head += "\r\n";
    for (const auto& header : response.headers) append_header(head, header.name, header.value);
    append_common_headers(head, response, request);
    append_framing(head, response, manner);
    head += "\r\n";
    return head;
}

}  // namespace plimsoll::http
