#pragma once

#include "engine/base/result.hpp"

#include <functional>
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

}  // namespace plimsoll::client
