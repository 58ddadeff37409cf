#pragma once

#include "server/http/messages/limits.hpp"
#include "server/http/messages/request.hpp"
#include "server/http/messages/response.hpp"
#include "server/http/wire/deadline.hpp"
#include "server/http/wire/listener_state.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

namespace plimsoll::http {

// How the client expects the response.
struct Manner {
    unsigned version = 11;
    bool keep_alive = true;
    bool head = false;  // the request was HEAD: no body
};

// Whether the body uses chunked encoding. HTTP/1.0 has none: there, closing the connection ends a
// stream of unknown length.
bool is_chunked(const Response& response, Manner manner);

// The status line and all header fields, with the trailing empty line.
std::string response_head(const Response& response, const Request& request, Manner manner);

// The memory of one connection's response, charged to the caller until the client has read it.
class ResponseMemory {
  public:
    explicit ResponseMemory(ListenerState& state) : state_(state) {}

    void charge(FairBudget::Holder holder) { holder_ = std::move(holder); }

    // False: there is no memory for so many bytes. Where a caller's, a team's or the whole share is
    // used up, the slowest reader with a response of that share makes room.
    bool hold(std::size_t bytes) {
        if (bytes <= limits::kSmallResponseBytes) return true;
        freed_ += bytes;
        if (!held_) held_.emplace(state_.responses.open(holder_));
        const auto amount = std::min(bytes, limits::kResponses.caller);
        while (!held_->grow_to(amount)) {
            const auto share = held_->lacking(amount);
            const auto stalled = std::chrono::steady_clock::now() - limits::kStalledReader;
            const bool made_room = state_.close_longest_waiting([&](const OpenConnection& other) {
                const auto* holder = other.response_holder();
                return holder != nullptr && FairBudget::shares(share, *holder, holder_) &&
                       *other.waiting_since() <= stalled;
            });
            if (!made_room) return false;
        }
        return true;
    }

    // Null: it holds nothing.
    const FairBudget::Holder* holder() const { return held_ ? &held_->holder() : nullptr; }

    // The connection is closing, and the response will be freed.
    void forget() { held_.reset(); }

    // The response has been freed.
    void release() {
        held_.reset();
        state_.freed_response_bytes += std::exchange(freed_, 0);
        if (state_.freed_response_bytes < limits::kFreedResponseBytes) return;
        state_.freed_response_bytes = 0;
        state_.application.memory_freed();
    }

  private:
    ListenerState& state_;
    FairBudget::Holder holder_;
    std::optional<FairBudget::Reservation> held_;
    std::size_t freed_ = 0;  // bytes, once the response is sent
};

namespace wire = boost::beast::http;

// Writes one response to the socket. Included only by connection.cpp, because it includes Beast.
template <class Stream>
class ResponseWriter {
    template <class T>
    using awaitable = awaitable<T>;
    using Clock = std::chrono::steady_clock;
    using milliseconds = std::chrono::milliseconds;

  public:
    struct Reader {
        Deadline& deadline;
        milliseconds window;                              // over which the least rate holds
        std::optional<Clock::time_point>& waiting_since;  // kept while the client has yet to read
        std::function<void(std::size_t)> hold;  // charges a piece of a stream to the client
    };

    ResponseWriter(Stream& stream, Reader reader)
        : stream_(stream), reader_(std::move(reader)), left_(reader_.window), taken_(taken()) {}

    // False if the response could not be sent completely.
    awaitable<bool> write(Response response, const Request& request, Manner manner) {
        const auto head = response_head(response, request, manner);
        if (response.stream) {
            const bool begun = co_await write_buffers(boost::asio::buffer(head));
            if (!begun || manner.head) co_return begun;
            co_return co_await write_stream(*response.stream, is_chunked(response, manner));
        }
        const auto content = manner.head ? std::string_view() : response.content();
        const std::array<boost::asio::const_buffer, 2> whole = {boost::asio::buffer(head),
                                                                boost::asio::buffer(content)};
        co_return co_await write_buffers(whole);
    }

  private:
    awaitable<bool> write_stream(BodyStream& stream, bool chunked) {
        for (;;) {
            auto piece = co_await stream.next();
            if (!piece) co_return false;
            if (!*piece) break;
            reader_.hold((*piece)->size());
            const bool here =
                (*piece)->empty() ? !client_gone() : co_await write_piece(**piece, chunked);
            if (!here) co_return false;
        }
        co_return !chunked || co_await write_buffers(wire::make_chunk_last());
    }

    // The client closed the connection or its sending half: nobody is reading.
    bool client_gone() {
        pollfd look{socket(), POLLRDHUP, 0};
        return ::poll(&look, 1, 0) == 1;
    }

    awaitable<bool> write_piece(const std::string& piece, bool chunked) {
        const auto bytes = boost::asio::buffer(piece);
        co_return chunked ? co_await write_buffers(wire::make_chunk(bytes))
                          : co_await write_buffers(bytes);
    }

    // A window lasts while bytes wait for the client, not while a piece is made.
    template <class Buffers>
    awaitable<bool> write_buffers(Buffers buffers) {
        boost::system::error_code error;
        began_ = Clock::now();
        reader_.deadline.arm(left_, [this] { return next_window(); });
        const auto progress = [this, before = written_](const auto& failure, std::size_t count) {
            written_ = before + static_cast<std::int64_t>(count);
            if (!failure) reader_.waiting_since = Clock::now();
            return failure ? 0 : limits::kWriteBytes;
        };
        co_await boost::asio::async_write(
            stream_, buffers, progress,
            boost::asio::redirect_error(boost::asio::use_awaitable, error));
        reader_.deadline.disarm();
        reader_.waiting_since.reset();
        const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - began_);
        left_ = std::max(milliseconds(0), left_ - waited);
        co_return !error;
    }

    // None if the client took too little in the one that ends.
    milliseconds next_window() {
        const auto before = std::exchange(taken_, taken());
        const auto min = reader_.window.count() * limits::kResponseBytesPerSecond / 1000;
        if (taken_ - before < min) return milliseconds(0);
        began_ = Clock::now();
        left_ = reader_.window;
        return left_;
    }

    // Bytes that have left the socket's buffer, where some MiB can wait.
    std::int64_t taken() {
        int queued = 0;
        ::ioctl(socket(), SIOCOUTQ, &queued);
        return written_ - queued;
    }

    int socket() { return boost::beast::get_lowest_layer(stream_).native_handle(); }

    Stream& stream_;
    Reader reader_;
    milliseconds left_;  // of the window
    Clock::time_point began_;
    std::int64_t written_ = 0;
    std::int64_t taken_;
};

}  // namespace plimsoll::http
