#pragma once

#include "server/http/deadline.hpp"
#include "server/http/limits.hpp"
#include "server/http/response.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http.hpp>
#include <poll.h>

namespace plimsoll::http {

namespace wire = boost::beast::http;

// Puts one answer on the wire. Included by connection.cpp alone: it brings Beast.
template <class Stream>
class ResponseWriter {
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

  public:
    // `timeout` is for one piece.
    ResponseWriter(Stream& stream, Deadline& deadline, std::chrono::milliseconds timeout)
        : stream_(stream), deadline_(deadline), timeout_(timeout) {}

    struct Manner {
        unsigned version = 11;
        bool keep_alive = true;
        bool head = false;  // the request was HEAD: no body
    };

    // False when not all of it could be sent.
    awaitable<bool> write(Response response, Manner manner) {
        if (response.stream) co_return co_await write_stream(std::move(response), manner);
        if (manner.head) {
            auto message = start<wire::empty_body>(response, manner);
            message.content_length(response.body.size());
            co_return co_await send(message);
        }
        auto message = start<wire::string_body>(response, manner);
        message.body() = std::move(response.body);
        message.prepare_payload();
        co_return co_await send(message);
    }

  private:
    template <class Body>
    static wire::response<Body> start(const Response& response, Manner manner) {
        wire::response<Body> message;
        message.result(static_cast<unsigned>(response.status));
        message.version(manner.version);
        message.keep_alive(manner.keep_alive);
        for (const auto& header : response.headers) message.insert(header.name, header.value);
        return message;
    }

    template <class Body>
    awaitable<bool> send(wire::response<Body>& message) {
        boost::system::error_code error;
        deadline_.arm(timeout_);
        co_await wire::async_write(stream_, message,
                                   boost::asio::redirect_error(boost::asio::use_awaitable, error));
        deadline_.disarm();
        co_return !error;
    }

    // Without a length, HTTP/1.0 knows no chunks: there, the end of the connection is the end of
    // the body.
    awaitable<bool> write_stream(Response response, Manner manner) {
        const bool chunked = !response.length && manner.version >= 11;
        auto message = start<wire::empty_body>(response, manner);
        if (response.length) message.content_length(*response.length);
        if (chunked) message.chunked(true);
        wire::response_serializer<wire::empty_body> serializer(message);
        boost::system::error_code error;
        deadline_.arm(timeout_);
        co_await wire::async_write_header(
            stream_, serializer, boost::asio::redirect_error(boost::asio::use_awaitable, error));
        deadline_.disarm();
        if (error || manner.head) co_return !error;
        for (;;) {
            auto piece = co_await response.stream->next();
            if (!piece) co_return false;
            if (!*piece) break;
            const bool here =
                (*piece)->empty() ? !client_gone() : co_await write_piece(**piece, chunked);
            if (!here) co_return false;
        }
        co_return !chunked || co_await write_buffers(wire::make_chunk_last());
    }

    // It closed the connection, or its sending half: then nobody waits for more.
    bool client_gone() {
        pollfd look{boost::beast::get_lowest_layer(stream_).native_handle(), POLLRDHUP, 0};
        return ::poll(&look, 1, 0) == 1;
    }

    // A large piece goes out in several writes, each with its own deadline: slow is not stuck.
    awaitable<bool> write_piece(std::string_view piece, bool chunked) {
        while (!piece.empty()) {
            const auto part = piece.substr(0, limits::kWriteBytes);
            piece.remove_prefix(part.size());
            const boost::asio::const_buffer buffer(part.data(), part.size());
            const bool sent = chunked ? co_await write_buffers(wire::make_chunk(buffer))
                                      : co_await write_buffers(buffer);
            if (!sent) co_return false;
        }
        co_return true;
    }

    template <class Buffers>
    awaitable<bool> write_buffers(Buffers buffers) {
        boost::system::error_code error;
        deadline_.arm(timeout_);
        co_await boost::asio::async_write(
            stream_, buffers, boost::asio::redirect_error(boost::asio::use_awaitable, error));
        deadline_.disarm();
        co_return !error;
    }

    Stream& stream_;
    Deadline& deadline_;
    std::chrono::milliseconds timeout_;
};

}  // namespace plimsoll::http
