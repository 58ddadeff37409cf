#pragma once

#include "server/http/messages/application.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/wire/chunk_guard.hpp"
#include "server/http/wire/deadline.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::http {

// Sends 100 Continue to a client that waits for it.
template <class Stream>
awaitable<void> write_continue(Stream& stream, boost::system::error_code& error) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await boost::asio::async_write(
        stream, boost::asio::buffer(kContinue),
        boost::asio::redirect_error(boost::asio::use_awaitable, error));
}

// Reads a body from the socket piece by piece. Included only by connection.cpp, because it includes
// Beast.
template <class Stream>
class BodyReader final : public BodySource {
    template <class T>
    using awaitable = awaitable<T>;
    using Head = boost::beast::http::request_parser<boost::beast::http::string_body>;
    using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  public:
    struct Wire {
        Stream& stream;
        boost::beast::flat_buffer& buffer;
        Deadline& deadline;
        std::chrono::milliseconds timeout;  // for a piece, see kBodyBytesPerSecond
    };

    // `head`: the parsed head; `expected`: the client waits for 100 Continue.
    BodyReader(Wire wire, Head&& head, std::size_t limit, bool expected)
        : wire_(wire), parser_(std::move(head)), limit_(limit), expected_(expected) {
        parser_.body_limit(limit);
        if (parser_.chunked()) chunks_.watch(parser_);
    }

    // Whether the whole body was read.
    bool done() const { return parser_.is_done(); }

    awaitable<Result<std::optional<std::string>>> next() override {
        namespace beast = boost::beast::http;
        if (parser_.is_done()) co_return std::nullopt;
        if (failed_) co_return fail(reason(failed_));
        boost::system::error_code error;
        if (std::exchange(expected_, false)) co_await write_continue(wire_.stream, error);
        std::string piece(limits::kBodyPieceBytes, '\0');
        auto& body = parser_.get().body();
        body.data = piece.data();
        body.size = piece.size();
        body.more = true;
        wire_.deadline.arm(wire_.timeout + std::chrono::seconds(limits::kBodyPieceBytes /
                                                                limits::kBodyBytesPerSecond));
        if (!error) {
            co_await beast::async_read(
                wire_.stream, wire_.buffer, parser_,
                boost::asio::redirect_error(boost::asio::use_awaitable, error));
        }
        wire_.deadline.disarm();
        piece.resize(piece.size() - body.size);
        if (error && error != beast::error::need_buffer) {
            // Deliver what was read; the next call returns the error.
            failed_ = error;
            if (piece.empty()) co_return fail(reason(error));
        }
        co_return piece;
    }

  private:
    Error reason(boost::system::error_code error) const {
        if (wire_.deadline.passed())
            return {Errc::timeout, "The body took too long to arrive.", {}};
        if (error == boost::beast::http::error::body_limit) {
            return {Errc::too_large,
                    "The body must not be larger than " + std::to_string(limit_) + " bytes.",
                    {}};
        }
        return {Errc::cancelled, "The body is incomplete.", {}};
    }

    Wire wire_;
    ChunkGuard chunks_;
    Parser parser_;
    std::size_t limit_;
    bool expected_;
    boost::system::error_code failed_;
};

}  // namespace plimsoll::http
