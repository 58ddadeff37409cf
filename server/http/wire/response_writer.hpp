#pragma once

#include "server/http/messages/limits.hpp"
#include "server/http/wire/deadline.hpp"
#include "server/http/wire/response_head.hpp"

#include <array>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <poll.h>

namespace plimsoll::http {

namespace wire = boost::beast::http;

// Writes one response to the socket. Included only by connection.cpp, because it includes Beast.
template <class Stream>
class ResponseWriter {
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

  public:
    // `timeout`: per piece.
    ResponseWriter(Stream& stream, Deadline& deadline, std::chrono::milliseconds timeout)
        : stream_(stream), deadline_(deadline), timeout_(timeout) {}

    // False if the response could not be sent completely.
    awaitable<bool> write(Response response, const Request& request, Manner manner) {
        const auto head = response_head(response, request, manner);
        if (response.stream) {
            const bool begun = co_await write_buffers(boost::asio::buffer(head));
            if (!begun || manner.head) co_return begun;
            co_return co_await write_stream(*response.stream, is_chunked(response, manner));
        }
        if (manner.head) response.body.clear();
        const std::array<boost::asio::const_buffer, 2> whole = {boost::asio::buffer(head),
                                                                boost::asio::buffer(response.body)};
        co_return co_await write_buffers(whole);
    }

  private:
    awaitable<bool> write_stream(BodyStream& stream, bool chunked) {
        for (;;) {
            auto piece = co_await stream.next();
            if (!piece) co_return false;
            if (!*piece) break;
            const bool here =
                (*piece)->empty() ? !client_gone() : co_await write_piece(**piece, chunked);
            if (!here) co_return false;
        }
        co_return !chunked || co_await write_buffers(wire::make_chunk_last());
    }

    // The client closed the connection or its sending half: nobody is reading.
    bool client_gone() {
        pollfd look{boost::beast::get_lowest_layer(stream_).native_handle(), POLLRDHUP, 0};
        return ::poll(&look, 1, 0) == 1;
    }

    // A large piece is sent in several writes, each with its own deadline, so that a slow client is
    // not mistaken for a stuck one.
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
