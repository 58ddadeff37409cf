#pragma once

#include "engine/base/result.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <nlohmann/json_fwd.hpp>

namespace plimsoll::client {

// A blocking connection to an http or https server, whose certificate must match its host.
class HttpConnection {
  public:
    using AllowAddress = std::function<bool(const boost::asio::ip::address&)>;

    // `url`: the server's; anything after the authority is ignored. `allowed`: addresses that may
    // be connected to; empty: all. Throws boost::system::system_error. Errc::invalid_input: not
    // such a URL; Errc::forbidden: no address is allowed.
    static Result<std::unique_ptr<HttpConnection>> open(const std::string& url,
                                                        const AllowAddress& allowed = {});

    template <class Message>
    void write(const Message& message, boost::beast::error_code& code) {
        visit([&](auto& stream) { boost::beast::http::write(stream, message, code); });
    }
    template <class Parser>
    void read(Parser& parser, boost::beast::error_code& code) {
        visit([&](auto& stream) { boost::beast::http::read(stream, buffer_, parser, code); });
    }
    template <class Parser>
    void read_header(Parser& parser, boost::beast::error_code& code) {
        visit(
            [&](auto& stream) { boost::beast::http::read_header(stream, buffer_, parser, code); });
    }
    template <class Parser>
    void read_some(Parser& parser, boost::beast::error_code& code) {
        visit([&](auto& stream) { boost::beast::http::read_some(stream, buffer_, parser, code); });
    }

    // Host and port as in the Host field.
    const std::string& authority() const { return authority_; }

  private:
    using Plain = boost::beast::tcp_stream;
    using Tls = boost::beast::ssl_stream<boost::beast::tcp_stream>;

    explicit HttpConnection(std::string authority) : authority_(std::move(authority)) {}

    template <class F>
    void visit(F&& f) {
        if (auto* plain = std::get_if<Plain>(&stream_)) f(*plain);
        if (auto* tls = std::get_if<Tls>(&stream_)) f(*tls);
    }

    std::string authority_;
    boost::asio::io_context io_;
    boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
    std::variant<std::monostate, Plain, Tls> stream_;
    boost::beast::flat_buffer buffer_;
};

struct ServerEvent {
    std::string id;
    std::string type = "message";
    std::string data;
};

// Assembles server-sent events from pieces of any size.
class EventStreamParser {
  public:
    void feed(std::string_view piece, const std::function<void(const ServerEvent&)>& on_event);

  private:
    void take_line(std::string_view line, const std::function<void(const ServerEvent&)>& on_event);

    std::string pending_;
    ServerEvent event_;
    bool has_data_ = false;
};

class HttpConnection;

using Headers = std::map<std::string, std::string, std::less<>>;  // names in lower case

struct Reply {
    int status = 0;
    Headers headers;
    std::string body;
};

// A blocking client of one Plimsoll server: one connection, kept open. A problem+json response
// becomes an Error with its detail and one line for each field it names.
class ApiClient {
  public:
    // `server` is "http://host:port" or "https://host:port".
    ApiClient(std::string server, std::string token);
    ~ApiClient();
    ApiClient(ApiClient&&) noexcept;
    ApiClient& operator=(ApiClient&&) noexcept;

    Result<Reply> send(std::string_view method, const std::string& target, std::string body = {},
                       Headers headers = {});
    Result<nlohmann::json> get_json(const std::string& target);
    // A null body sends none; an empty response returns an empty object.
    Result<nlohmann::json> post_json(const std::string& target, const nlohmann::json& body,
                                     Headers headers = {});
    Result<nlohmann::json> put_json(const std::string& target, const nlohmann::json& body,
                                    Headers headers = {});

    // Reads a long response piece by piece until it ends or `on_piece` returns false.
    Result<void> stream(const std::string& target, Headers headers,
                        const std::function<bool(std::string_view)>& on_piece);

    const std::string& server() const { return server_; }

  private:
    Result<nlohmann::json> send_json(std::string_view method, const std::string& target,
                                     const nlohmann::json& body, Headers headers);
    Result<HttpConnection*> connect();
    Error refusal(const Reply& reply) const;

    std::string server_;
    std::string token_;
    std::unique_ptr<HttpConnection> connection_;
};

}  // namespace plimsoll::client
