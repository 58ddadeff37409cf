#include "server/client/api_client.hpp"

#include "server/base/addresses.hpp"

#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::client {

namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::uint64_t kReplyLimit = 256ull << 20;  // bytes; longer answers are streamed

Error transport_error(const std::string& server, const beast::error_code& code) {
    return {Errc::unavailable,
            "The server at " + server + " does not respond: " + code.message() + ".",
            {}};
}

// RFC 9457, as every error of the API is.
Error problem(const Reply& reply) {
    const auto body = nlohmann::json::parse(reply.body, nullptr, false);
    Error error{Errc::internal,
                "The server responded with status " + std::to_string(reply.status) + ".",
                {}};
    switch (reply.status) {
        case 400:
        case 415:
        case 422: error.code = Errc::invalid_input; break;
        case 401: error.code = Errc::unauthenticated; break;
        case 403: error.code = Errc::forbidden; break;
        case 404: error.code = Errc::not_found; break;
        case 409: error.code = Errc::conflict; break;
        case 413: error.code = Errc::too_large; break;
        case 429: error.code = Errc::exhausted; break;
        case 503: error.code = Errc::unavailable; break;
        default: break;
    }
    if (!body.is_object()) return error;
    error.message = body.value("detail", body.value("title", error.message));
    const auto errors = body.find("errors");
    if (errors == body.end() || !errors->is_array() || errors->empty()) return error;
    std::string places;
    for (const auto& field : *errors) {
        const std::string place = field.value("pointer", field.value("parameter", ""));
        places += "\n  " + place + (place.empty() ? "" : ": ") + field.value("detail", "");
    }
    // The listed places already say that something is invalid.
    const bool invalid = error.code == Errc::invalid_input;
    if (invalid && errors->size() == 1)
        error.message = places.substr(std::string_view("\n  ").size());
    else if (invalid)
        error.message = "Invalid in " + std::to_string(errors->size()) + " places:" + places;
    else
        error.message += places;
    return error;
}

}  // namespace

Result<std::unique_ptr<HttpConnection>> HttpConnection::open(const std::string& address,
                                                             const AllowAddress& allowed) {
    const auto url = parse_url(address);
    if (!url || (url->scheme() != "http" && url->scheme() != "https") ||
        url->host_address().empty()) {
        return fail(Errc::invalid_input, "\"" + address + "\" is not an http or https URL.");
    }
    const bool tls = url->scheme() == "https";
    const std::string host = url->host_address();
    const std::string port = url->has_port() ? std::string(url->port()) : tls ? "443" : "80";
    std::unique_ptr<HttpConnection> made(
        new HttpConnection(std::string(url->encoded_host_and_port())));
    asio::ip::tcp::resolver resolver(made->io_);
    std::vector<asio::ip::tcp::endpoint> endpoints;
    for (const auto& found : resolver.resolve(host, port))
        if (!allowed || allowed(found.endpoint().address())) endpoints.push_back(found.endpoint());
    if (endpoints.empty())
        return fail(Errc::forbidden, "\"" + host + "\" has no address on the public internet.");
    if (!tls) {
        made->stream_.emplace<Plain>(made->io_).connect(endpoints);
        return made;
    }
    made->tls_.set_default_verify_paths();
    made->tls_.set_verify_mode(asio::ssl::verify_peer);
    auto& stream = made->stream_.emplace<Tls>(made->io_, made->tls_);
    stream.set_verify_callback(asio::ssl::host_name_verification(host));
    SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
    beast::get_lowest_layer(stream).connect(endpoints);
    stream.handshake(asio::ssl::stream_base::client);
    return made;
}

void EventStreamParser::feed(std::string_view piece,
                             const std::function<void(const ServerEvent&)>& on_event) {
    pending_ += piece;
    std::size_t start = 0;
    for (auto end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n', start)) {
        std::string_view line(pending_.data() + start, end - start);
        if (line.ends_with('\r')) line.remove_suffix(1);
        take_line(line, on_event);
        start = end + 1;
    }
    pending_.erase(0, start);
}

void EventStreamParser::take_line(std::string_view line,
                                  const std::function<void(const ServerEvent&)>& on_event) {
    if (line.empty()) {
        if (has_data_) on_event(event_);
        const auto last_id = event_.id;
        event_ = {};
        event_.id = last_id;  // the id stays until the server names another
        has_data_ = false;
        return;
    }
    const auto colon = line.find(':');
    const auto field = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "data") {
        if (has_data_) event_.data += '\n';
        event_.data += value;
        has_data_ = true;
    } else if (field == "event") {
        event_.type = value;
    } else if (field == "id") {
        event_.id = value;
    }
}

ApiClient::ApiClient(std::string server, std::string token)
    : server_(std::move(server)), token_(std::move(token)) {
    while (server_.ends_with('/')) server_.pop_back();
}
ApiClient::~ApiClient() = default;
ApiClient::ApiClient(ApiClient&&) noexcept = default;
ApiClient& ApiClient::operator=(ApiClient&&) noexcept = default;

Error ApiClient::refusal(const Reply& reply) const {
    auto error = problem(reply);
    if (error.code == Errc::unauthenticated && !token_.empty()) {
        error.message = "The token for " + server_ +
                        " is unknown, expired or revoked: sign in with `plimsoll login LINK`.";
    }
    return error;
}

Result<HttpConnection*> ApiClient::connect() {
    if (connection_) return connection_.get();
    try {
        auto opened = HttpConnection::open(server_);
        if (!opened) {
            return fail(Errc::invalid_input,
                        "The server must be a URL like http://host:port, not \"" + server_ + "\".");
        }
        connection_ = std::move(*opened);
    } catch (const boost::system::system_error& error) {
        return fail(transport_error(server_, error.code()));
    }
    return connection_.get();
}

namespace {

http::request<http::string_body> make_request(std::string_view method, const std::string& target,
                                              const std::string& host, const std::string& token,
                                              std::string body, const Headers& headers) {
    http::request<http::string_body> request;
    request.method_string({method.data(), method.size()});
    request.target(target);
    request.version(11);
    request.set(http::field::host, host);
    request.set(http::field::user_agent, "plimsoll");
    if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
    if (!body.empty()) request.set(http::field::content_type, "application/json");
    if (const char* trace = std::getenv("TRACEPARENT")) request.set("traceparent", trace);
    for (const auto& [name, value] : headers) request.set(name, value);
    request.body() = std::move(body);
    request.prepare_payload();
    return request;
}

template <class Message>
Headers copy_headers(const Message& message) {
    Headers headers;
    for (const auto& field : message) {
        std::string name(field.name_string());
        for (auto& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        headers[name] = std::string(field.value());
    }
    return headers;
}

}  // namespace

Result<Reply> ApiClient::send(std::string_view method, const std::string& target, std::string body,
                              Headers headers) {
    const bool reused = connection_ != nullptr;
    auto connection = connect();
    if (!connection) return fail(connection.error());
    const auto request =
        make_request(method, target, (*connection)->authority(), token_, std::move(body), headers);
    for (bool retried = !reused;; retried = true) {
        beast::error_code code;
        (*connection)->write(request, code);
        http::response_parser<http::string_body> parser;
        parser.body_limit(kReplyLimit);
        if (!code) (*connection)->read(parser, code);
        if (!code) {
            auto message = parser.release();
            if (!message.keep_alive()) connection_.reset();
            Reply reply{static_cast<int>(message.result_int()), copy_headers(message),
                        std::move(message.body())};
            if (reply.status >= 400) return fail(refusal(reply));
            return reply;
        }
        connection_.reset();
        // A kept connection may have been closed while it was idle: nothing was processed.
        if (retried || code != http::error::end_of_stream)
            return fail(transport_error(server_, code));
        connection = connect();
        if (!connection) return fail(connection.error());
    }
}

Result<nlohmann::json> ApiClient::get_json(const std::string& target) {
    TRY(auto reply, send("GET", target));
    auto json = nlohmann::json::parse(reply.body, nullptr, false);
    if (json.is_discarded()) return fail(Errc::corrupt, "The server's response is not JSON.");
    return json;
}

Result<nlohmann::json> ApiClient::post_json(const std::string& target, const nlohmann::json& body,
                                            Headers headers) {
    return send_json("POST", target, body, std::move(headers));
}

Result<nlohmann::json> ApiClient::put_json(const std::string& target, const nlohmann::json& body,
                                           Headers headers) {
    return send_json("PUT", target, body, std::move(headers));
}

Result<nlohmann::json> ApiClient::send_json(std::string_view method, const std::string& target,
                                            const nlohmann::json& body, Headers headers) {
    TRY(auto reply,
        send(method, target, body.is_null() ? std::string() : body.dump(), std::move(headers)));
    if (reply.body.empty()) return nlohmann::json::object();
    auto json = nlohmann::json::parse(reply.body, nullptr, false);
    if (json.is_discarded()) return fail(Errc::corrupt, "The server's response is not JSON.");
    return json;
}

Result<void> ApiClient::stream(const std::string& target, Headers headers,
                               const std::function<bool(std::string_view)>& on_piece) {
    connection_.reset();  // a stream that is left early cannot be reused
    TRY(auto connection, connect());
    const auto request = make_request("GET", target, connection->authority(), token_, {}, headers);
    beast::error_code code;
    connection->write(request, code);
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    if (!code) connection->read_header(parser, code);
    if (code) {
        connection_.reset();
        return fail(transport_error(server_, code));
    }
    Reply failure{static_cast<int>(parser.get().result_int()), copy_headers(parser.get()), {}};
    char piece[16384];
    while (!parser.is_done()) {
        parser.get().body().data = piece;
        parser.get().body().size = sizeof piece;
        parser.get().body().more = true;
        connection->read_some(parser, code);
        if (code == http::error::need_buffer) code = {};
        const std::string_view bytes(piece, sizeof piece - parser.get().body().size);
        if (code) break;
        if (failure.status >= 400)
            failure.body += bytes;
        else if (!bytes.empty() && !on_piece(bytes))
            break;
    }
    connection_.reset();
    if (failure.status >= 400) return fail(refusal(failure));
    if (code) return fail(transport_error(server_, code));
    return {};
}

}  // namespace plimsoll::client
