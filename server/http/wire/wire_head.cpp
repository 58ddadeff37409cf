#include "server/http/wire/wire_head.hpp"

#include "server/http/messages/limits.hpp"

#include <algorithm>
#include <random>

#include <boost/beast/http/error.hpp>

namespace plimsoll::http {

namespace wire = boost::beast::http;

namespace {

// Unique for as long as logs are kept; not a secret. Called by the one I/O thread.
std::string new_request_id() {
    static std::mt19937_64 random{std::random_device{}()};
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string id = "req_";
    for (auto bits = random(); id.size() < 20; bits >>= 4) id += kDigits[bits & 15];
    return id;
}

bool is_host(std::string_view text) {
    return !text.empty() && text.size() <= 255 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
    });
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool has_folded_line(std::string_view head) {
    for (auto end = head.find('\n'); end != head.npos; end = head.find('\n', end + 1)) {
        const auto next = head.substr(end + 1, 1);
        if (next == " " || next == "\t") return true;
    }
    return false;
}

Request read_head(const WireHead& head, const std::string& remote_address, bool secure) {
    Request request;
    request.id = new_request_id();
    request.method = std::string_view(head.method_string());
    request.target = std::string_view(head.target());
    for (const auto& field : head)
        request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    request.remote_address = remote_address;
    request.secure = secure;
    if (tracing::is_on()) request.span = tracing::enter(request.header("traceparent").value_or(""));
    return request;
}

Outcome<void> check_head(const Request& request, const WireHead& head, bool chunked) {
    if (request.target.size() > limits::kTargetBytes) {
        return refuse(414, "The request target must not be longer than " +
                               std::to_string(limits::kTargetBytes) + " bytes.");
    }
    if (request.headers.size() > limits::kHeaderFields) {
        return refuse(431, "A request must not have more than " +
                               std::to_string(limits::kHeaderFields) + " header fields.");
    }
    const auto hosts = count_headers(request.headers, "Host");
    if (hosts > 1 || (hosts == 0 && head.version() >= 11) ||
        (hosts == 1 && !is_host(*request.header("Host")))) {
        return refuse(400, "A request must have exactly one valid Host header.");
    }
    const auto encodings = count_headers(request.headers, "Transfer-Encoding");
    const auto lengths = count_headers(request.headers, "Content-Length");
    if (lengths > 1 || encodings > 1 || (encodings == 1 && (lengths == 1 || !chunked)) ||
        (encodings == 1 && head.version() < 11)) {
        return refuse(
            400,
            "Send one Content-Length or, in HTTP/1.1, one Transfer-Encoding: chunked; not both.");
    }
    // The parser also accepts lists, of equal lengths and of codings before chunked.
    if (lengths == 1 && !is_number(*request.header("Content-Length")))
        return refuse(400, "Content-Length must be a single number.");
    if (encodings == 1 && !same_token(*request.header("Transfer-Encoding"), "chunked"))
        return refuse(400, "The only supported Transfer-Encoding is chunked.");
    for (const auto* once : {"Authorization", "Content-Type", "Cookie", "Idempotency-Key"})
        if (count_headers(request.headers, once) > 1)
            return refuse(400, std::string(once) + " must not be sent more than once.");
    return {};
}

std::optional<Problem> protocol_problem(boost::system::error_code error, bool timed_out) {
    if (timed_out) return Problem(408, "The request took too long to arrive.");
    if (error == wire::error::header_limit) {
        return Problem(431, "The request line and header fields must not be larger than " +
                                std::to_string(limits::kHeaderBytes) + " bytes.");
    }
    if (error == wire::error::buffer_overflow)
        return Problem(400, "A chunk header or the trailer of the body is too large.");
    const bool gone = error == wire::error::end_of_stream || error == wire::error::partial_message;
    if (gone || error.category() != make_error_code(wire::error::bad_method).category())
        return std::nullopt;
    return Problem(400, "The request is not valid HTTP: " + error.message() + ".");
}

}  // namespace plimsoll::http
