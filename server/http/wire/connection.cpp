#include "server/http/wire/connection.hpp"

#include "server/base/log.hpp"
#include "server/http/access/network.hpp"
#include "server/http/messages/problem.hpp"
#include "server/http/wire/body_reader.hpp"
#include "server/http/wire/chunk_guard.hpp"
#include "server/http/wire/deadline.hpp"
#include "server/http/wire/response_writer.hpp"
#include "server/http/wire/traffic.hpp"
#include "server/http/wire/wire_head.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <netinet/tcp.h>

namespace plimsoll::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

using Parser = wire::request_parser<wire::string_body>;
using TlsStream = asio::ssl::stream<tcp::socket>;
using UnsentBytes = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;

tcp::socket& socket_of(tcp::socket& stream) { return stream; }
tcp::socket& socket_of(TlsStream& stream) { return stream.next_layer(); }

constexpr const char* kTooManyBodies = "The server is receiving too many request bodies.";

Problem too_large(std::size_t limit) {
    return {413, "The body must not be larger than " + std::to_string(limit) + " bytes."};
}

Response internal_error(const Request& request, const std::exception& error) {
    log::error("request threw an exception", {{"request", request.id}, {"why", error.what()}});
    return to_response(Error{Errc::internal, error.what(), {}}, request.id);
}

using Clock = std::chrono::steady_clock;

bool is_event_stream(const Response& response) {
    return response.stream &&
           find_header(response.headers, "Content-Type").value_or("") == "text/event-stream";
}

template <class Stream>
class Connection final : public OpenConnection {
  public:
    Connection(Stream stream, ListenerState& state, std::string address)
        : stream_(std::move(stream)),
          deadline_(socket_of(stream_)),
          state_(state),
          counted_(state.traffic.connections()),
          address_(std::move(address)),
          network_(network_of(address_)),
          waiting_since_(Clock::now()),
          memory_(state) {
        state_.connections.insert(this);
        ++state_.per_network[network_];
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() override {
        state_.connections.erase(this);
        const auto count = state_.per_network.find(network_);
        if (--count->second == 0) state_.per_network.erase(count);
    }

    void finish() override {
        if (idle_) abort();
    }
    void abort() override {
        error_code ignored;
        waiting_since_.reset();
        memory_.forget();
        socket_of(stream_).close(ignored);
    }
    const std::string& network() const override { return network_; }
    std::optional<Clock::time_point> waiting_since() const override {
        const bool may_take = writing_ && !subject_.team.empty() && waiting_since_ &&
                              Clock::now() - *waiting_since_ < limits::kStalledReader;
        return may_take ? std::nullopt : waiting_since_;
    }
    bool has_anonymous_reader() const override { return writing_ && subject_.team.empty(); }
    const FairBudget::Holder* response_holder() const override { return memory_.holder(); }

    awaitable<void> run() {
        error_code ignored;
        socket_of(stream_).set_option(tcp::no_delay(true), ignored);
        socket_of(stream_).set_option(UnsentBytes(limits::kUnsentBytes), ignored);
        if constexpr (std::is_same_v<Stream, TlsStream>) {
            deadline_.arm(state_.timeouts.header);
            error_code error;
            co_await stream_.async_handshake(TlsStream::server,
                                             asio::redirect_error(use_awaitable, error));
            if (error) co_return;
        }
        while (co_await wait_for_request() && co_await serve_request()) {
        }
        co_await close();
    }

  private:
    static constexpr bool kSecure = std::is_same_v<Stream, TlsStream>;

    // False: there will be no further request.
    awaitable<bool> wait_for_request() {
        if (state_.stopping) co_return false;
        if (buffer_.size() > 0) co_return true;  // the client did not wait for the last answer
        if (buffer_.capacity() > limits::kIdleBytes) buffer_.shrink_to_fit();
        waiting_since_ = Clock::now();
        idle_ = true;
        // A new client is about to send a request; one that has sent a request may send another.
        deadline_.arm(asked_ ? state_.timeouts.idle : state_.timeouts.header);
        asked_ = true;
        error_code error;
        const auto count = co_await stream_.async_read_some(
            buffer_.prepare(limits::kIdleBytes), asio::redirect_error(use_awaitable, error));
        idle_ = false;
        buffer_.commit(count);
        co_return !error;
    }

    // Reads until the parser has the whole head. Not by async_read_header, because the parser
    // accepts a value that continues on the next line (obs-fold): a proxy that reads it as two
    // fields would disagree with us about the request.
    awaitable<error_code> read_head_of_request() {
        for (error_code error;;) {
            const auto data = buffer_.data();
            const auto taken = parser_->put(data, error);
            if (has_folded_line({static_cast<const char*>(data.data()), taken}))
                error = wire::error::bad_obs_fold;
            buffer_.consume(taken);
            if (error != wire::error::need_more) co_return error;
            const auto count = co_await stream_.async_read_some(
                buffer_.prepare(limits::kHeaderBytes), asio::redirect_error(use_awaitable, error));
            if (error) co_return error;
            buffer_.commit(count);
        }
    }

    // One request and its answer. False: the connection ends here.
    awaitable<bool> serve_request() {
        parser_.emplace();
        parser_->header_limit(limits::kHeaderBytes);
        parser_->body_limit(boost::none);  // set once the operation is known
        deadline_.arm(state_.timeouts.header);
        const auto error = co_await read_head_of_request();
        deadline_.disarm();
        waiting_since_.reset();
        began_ = Clock::now();
        subject_ = {};
        const auto& head = parser_->get().base();
        version_ = head.version() == 10 ? 10 : 11;
        keep_alive_ = !error && parser_->keep_alive();
        auto request = read_head(head, address_, kSecure);
        state_.proxies.apply(request);
        if (error) {
            const auto problem = protocol_problem(error, deadline_.passed());
            if (!problem) co_return false;
            co_return co_await refuse_and_close(request, to_response(*problem, request.id));
        }
        if (const auto sane = check_head(request, head, parser_->chunked()); !sane)
            co_return co_await refuse_and_close(request, to_response(sane.error(), request.id));
        const auto host = host_of(request.target, request.header("Host").value_or("localhost"));
        if (!state_.hosts.allow(host) && !state_.proxies.trusts(address_)) {
            co_return co_await refuse_and_close(
                request, to_response(Problem(421,
                                             "The Host header does not name this server: see the "
                                             "setting http.allowed_hosts."),
                                     request.id));
        }
        co_return co_await run_exchange(request);
    }

    awaitable<bool> run_exchange(Request& request) {
        const auto exchange = state_.application.exchange();
        auto refused = co_await admit(*exchange, request);
        subject_ = exchange->subject();
        memory_.charge(exchange->holder(request));
        if (refused && expects_body())
            co_return co_await refuse_and_close(request, std::move(*refused));
        if (refused) co_return co_await write_and_keep(request, std::move(*refused));

        const auto limit = exchange->body_limit();
        const auto announced = parser_->content_length();
        if (announced && *announced > limit)
            co_return co_await refuse_and_close(request, to_response(too_large(limit), request.id));
        if (exchange->takes_stream()) co_return co_await run_upload(*exchange, request);
        if (!expects_body()) {
            auto response = co_await answer(*exchange, request, nullptr);
            co_return co_await write_and_keep(request, std::move(response));
        }
        std::optional memory = state_.bodies.open(exchange->holder(request));
        error_code error;
        co_await read_body(request, limit, *memory, error);
        if (error) {
            release(request, memory);
            const auto problem = body_problem(error, limit);
            if (!problem) co_return false;
            co_return co_await refuse_and_close(request, to_response(*problem, request.id));
        }
        auto response = co_await answer(*exchange, request, nullptr);
        release(request, memory);
        co_return co_await write_and_keep(request, std::move(response));
    }

    awaitable<bool> run_upload(Exchange& exchange, const Request& request) {
        std::optional memory = state_.bodies.open(exchange.holder(request));
        if (!memory->grow_to(limits::kUploadBytes)) {
            co_return co_await refuse_and_close(
                request, to_response(overloaded(kTooManyBodies), request.id));
        }
        BodyReader<Stream> body({stream_, buffer_, deadline_, state_.timeouts.body},
                                std::move(*parser_), exchange.body_limit(),
                                expects_continue(request));
        auto response = co_await answer(exchange, request, &body);
        memory.reset();
        if (!body.done()) co_return co_await refuse_and_close(request, std::move(response));
        co_return co_await write_and_keep(request, std::move(response));
    }

    // Responses may be read slowly: the body is freed before.
    void release(Request& request, std::optional<TieredBudget::Reservation>& memory) {
        const bool large = memory->amount() >= limits::kLargeBodyBytes;
        std::string().swap(request.body);
        memory.reset();
        if (large) state_.application.memory_freed();
    }

    std::optional<Problem> body_problem(error_code error, std::size_t limit) const {
        if (error == wire::error::body_limit) return too_large(limit);
        if (error == asio::error::no_buffer_space) return overloaded(kTooManyBodies);
        return protocol_problem(error, deadline_.passed());
    }

    bool expects_body() const {
        return parser_->chunked() || parser_->content_length().value_or(0) > 0;
    }

    bool expects_continue(const Request& request) const {
        return expects_body() && same_token(request.header("Expect").value_or(""), "100-continue");
    }

    // `error` is no_buffer_space if there is no memory for the body.
    awaitable<void> read_body(Request& request, std::size_t limit,
                              TieredBudget::Reservation& memory, error_code& error) {
        parser_->body_limit(limit);
        parser_->eager(true);
        if (parser_->chunked()) chunks_.watch(*parser_);
        deadline_.arm(state_.timeouts.body);
        if (expects_continue(request)) co_await write_continue(stream_, error);
        // A small body usually arrives with its head.
        if (!error && buffer_.size() > 0) {
            buffer_.consume(parser_->put(buffer_.data(), error));
            if (error == wire::error::need_more) error = {};
        }
        // Memory is reserved as bytes arrive, and they must keep arriving: a client that announces
        // a body and does not send it reserves nothing.
        const std::chrono::duration<double> window = state_.timeouts.body;
        const auto pace = static_cast<std::size_t>(window.count() * limits::kBodyBytesPerSecond);
        std::size_t received = 0;
        for (std::size_t due = pace; !error;) {
            if (!memory.grow_to(parser_->get().body().size())) error = asio::error::no_buffer_space;
            if (error || parser_->is_done()) break;
            received += co_await wire::async_read_some(stream_, buffer_, *parser_,
                                                       asio::redirect_error(use_awaitable, error));
            if (received < due) continue;
            due = received + pace;
            deadline_.arm(state_.timeouts.body);
        }
        deadline_.disarm();
        request.body = std::move(parser_->get().body());
    }

    // The last resort: exceptions of a request end here and do not affect the next one.
    awaitable<std::optional<Response>> admit(Exchange& exchange, const Request& request) {
        try {
            co_return co_await exchange.admit(request);
        } catch (const std::exception& error) {
            co_return internal_error(request, error);
        }
    }
    awaitable<Response> answer(Exchange& exchange, const Request& request, BodySource* stream) {
        try {
            co_return co_await exchange.answer(request, stream);
        } catch (const std::exception& error) {
            co_return internal_error(request, error);
        }
    }

    awaitable<bool> write(const Request& request, Response response, bool keep) {
        if (!memory_.hold(response.body.size()))
            response = to_response(overloaded("Too many responses are unread."), request.id);
        Answered answered{.status = response.status, .location = {}, .took = Clock::now() - began_};
        if (const auto made = find_header(response.headers, "Location")) answered.location = *made;
        state_.traffic.answered(subject_.operation, answered.status, answered.took);
        std::optional<Counted> streaming;
        if (is_event_stream(response)) streaming.emplace(state_.traffic.event_streams());
        ResponseWriter<Stream> writer(stream_,
                                      {deadline_, state_.timeouts.write, waiting_since_,
                                       [this](std::size_t bytes) { memory_.hold(bytes); }});
        writing_ = true;
        answered.sent = co_await writer.write(std::move(response), request,
                                              {version_, keep, request.method == "HEAD"});
        writing_ = false;
        memory_.release();
        log_answer(request, subject_, answered);
        trace_answer(request, subject_, answered);
        co_return answered.sent;
    }

    // False: close the connection, on request or because the write failed.
    awaitable<bool> write_and_keep(const Request& request, Response response) {
        const bool needs_end = response.stream && !response.length && version_ < 11;
        const bool keep = keep_alive_ && !needs_end && !state_.stopping;
        co_return co_await write(request, std::move(response), keep) && keep;
    }

    // For a client that may still be sending: it must be able to read the response before the
    // connection closes, and unread bytes at the close would discard the response.
    awaitable<bool> refuse_and_close(const Request& request, Response response) {
        if (!co_await write(request, std::move(response), false)) co_return false;
        error_code error;
        socket_of(stream_).shutdown(tcp::socket::shutdown_send, error);
        deadline_.arm(state_.timeouts.discard);
        buffer_.clear();
        for (std::size_t count = 0; !error && count < limits::kDiscardBytes;) {
            count += co_await socket_of(stream_).async_read_some(
                buffer_.prepare(limits::kHeaderBytes), asio::redirect_error(use_awaitable, error));
        }
        co_return false;
    }

    awaitable<void> close() {
        error_code error;
        if constexpr (kSecure) {
            deadline_.arm(state_.timeouts.discard);
            co_await stream_.async_shutdown(asio::redirect_error(use_awaitable, error));
        }
        socket_of(stream_).shutdown(tcp::socket::shutdown_both, error);
        co_return;
    }

    Stream stream_;
    Deadline deadline_;
    ListenerState& state_;
    Counted counted_;
    std::string address_;
    std::string network_;
    std::optional<Clock::time_point> waiting_since_;
    beast::flat_buffer buffer_{limits::kUnparsedBytes};
    ChunkGuard chunks_;
    std::optional<Parser> parser_;
    // Of the current request; its parser may be gone when the response is written.
    unsigned version_ = 11;
    bool keep_alive_ = false;
    bool idle_ = false;
    bool asked_ = false;
    Clock::time_point began_;
    Subject subject_;
    bool writing_ = false;
    ResponseMemory memory_;
};

}  // namespace

awaitable<void> serve_plain(tcp::socket socket, std::string address, ListenerState& state) {
    Connection<tcp::socket> connection(std::move(socket), state, std::move(address));
    co_await connection.run();
}

awaitable<void> serve_tls(tcp::socket socket, std::string address, asio::ssl::context& tls,
                          ListenerState& state) {
    TlsStream stream(std::move(socket), tls);
    Connection<TlsStream> connection(std::move(stream), state, std::move(address));
    co_await connection.run();
}

}  // namespace plimsoll::http
