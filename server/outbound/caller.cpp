#include "server/outbound/caller.hpp"

#include "server/base/offload.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/system/system_error.hpp>

namespace plimsoll::outbound {

namespace asio = boost::asio;
namespace fields = boost::beast::http;
using namespace asio::experimental::awaitable_operators;

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::use_awaitable;
using asio::ip::tcp;
using Code = boost::system::error_code;

constexpr std::uint32_t kMaxHead = 16U << 10;
constexpr std::size_t kPiece = 16U << 10;

// A response as its bytes arrive.
class Response {
  public:
    explicit Response(const Receiver& receiver) : receiver_(receiver) {
        parser_.header_limit(kMaxHead);
        parser_.body_limit(receiver.max_bytes);
        parser_.eager(true);
    }

    auto room() { return buffer_.prepare(kPiece); }
    // Engaged when no more is wanted.
    std::optional<Result<int>> take(std::size_t bytes) {
        buffer_.commit(bytes);
        Code code;
        while (buffer_.size() > 0 && !code && !parser_.is_done())
            buffer_.consume(parser_.put(buffer_.data(), code));
        if (code && code != http::error::need_more) return failed(code);
        return looked_at();
    }
    // The connection ended.
    Result<int> end() {
        Code code;
        if (!parser_.got_some()) return failed(http::error::end_of_stream);
        parser_.put_eof(code);
        if (code) return failed(code);
        auto last = looked_at();
        return last ? std::move(*last) : failed(http::error::partial_message);
    }

  private:
    static Result<int> failed(const Code& code) {
        return fail(code == http::error::body_limit ? Errc::too_large : Errc::unavailable,
                    code.message());
    }
    std::optional<Result<int>> looked_at() {
        if (!parser_.is_header_done()) return std::nullopt;
        const int status = static_cast<int>(parser_.get().result_int());
        if (!wanted_) wanted_ = receiver_.wants_body && receiver_.wants_body(status);
        if (!*wanted_) return Result<int>(status);
        auto& body = parser_.get().body();
        if (!body.empty()) {
            auto taken = receiver_.body(body);
            if (!taken) return Result<int>(fail(std::move(taken.error())));
            body.clear();
        }
        if (parser_.is_done()) return Result<int>(status);
        return std::nullopt;
    }

    const Receiver& receiver_;
    http::response_parser<http::string_body> parser_;
    boost::beast::flat_buffer buffer_;
    std::optional<bool> wanted_;
};

// Bytes by Asio and meaning by Beast's parser: its composed operations would be compiled for every
// kind of stream, and take as long to compile as the rest of a folder.
template <class Stream>
awaitable<Result<int>> talk(Stream& stream, const std::string& request, const Receiver& receiver) {
    co_await asio::async_write(stream, asio::buffer(request), use_awaitable);
    Response response(receiver);
    for (;;) {
        const auto [code, bytes] =
            co_await stream.async_read_some(response.room(), asio::as_tuple(use_awaitable));
        if (code == asio::error::eof || code == asio::ssl::error::stream_truncated)
            co_return response.end();
        if (code) co_return fail(Errc::unavailable, code.message());
        if (auto last = response.take(bytes)) co_return std::move(*last);
    }
}

awaitable<Result<int>> connected(const Destination& destination, const Endpoints& endpoints,
                                 const Request& request, asio::ssl::context& tls,
                                 const Receiver& receiver) {
    std::ostringstream bytes;
    bytes << request;
    const auto text = std::move(bytes).str();
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await asio::async_connect(socket, endpoints, use_awaitable);
    if (!destination.tls) co_return co_await talk(socket, text, receiver);
    asio::ssl::stream<tcp::socket&> stream(socket, tls);
    SSL_set_tlsext_host_name(stream.native_handle(), destination.host.c_str());
    stream.set_verify_callback(asio::ssl::host_name_verification(destination.host));
    co_await stream.async_handshake(asio::ssl::stream_base::client, use_awaitable);
    co_return co_await talk(stream, text, receiver);
}

}  // namespace

Result<std::unique_ptr<asio::ssl::context>> verifying_context(const std::string& authorities) {
    auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
    tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                     asio::ssl::context::no_tlsv1_1);
    tls->set_verify_mode(asio::ssl::verify_peer);
    Code code;
    tls->set_default_verify_paths(code);
    if (!code && !authorities.empty()) tls->load_verify_file(authorities, code);
    if (code) {
        return fail(Errc::invalid_input,
                    "The certificate authorities cannot be used: " + code.message() + ".",
                    authorities);
    }
    return tls;
}

Result<Endpoints> resolve(const Destination& destination, const AllowAddress& allowed) {
    asio::io_context io(1);
    tcp::resolver resolver(io);
    Code code;
    const auto found = resolver.resolve(destination.host, destination.port, code);
    if (code) return fail(Errc::unavailable, code.message());
    Endpoints endpoints;
    for (const auto& entry : found) endpoints.push_back(entry.endpoint());
    if (!std::ranges::all_of(endpoints, [&](const tcp::endpoint& endpoint) {
            return allowed(endpoint.address());
        })) {
        return fail(Errc::forbidden, "The host name resolves to an address that is not allowed.");
    }
    return endpoints;
}

awaitable<Result<int>> exchange(const Destination& destination, const Endpoints& endpoints,
                                const Request& request, asio::ssl::context& tls,
                                const Receiver& receiver) {
    try {
        co_return co_await connected(destination, endpoints, request, tls, receiver);
    } catch (const boost::system::system_error& error) {
        // Its own text adds where in the libraries it was thrown.
        co_return fail(Errc::unavailable, error.code().message());
    }
}

Caller::Caller(AllowList allowed, std::unique_ptr<asio::ssl::context> tls, std::size_t lookups)
    : allowed_(std::move(allowed)),
      tls_(std::move(tls)),
      names_(std::make_unique<asio::thread_pool>(lookups)) {}
Caller::Caller(Caller&&) noexcept = default;
Caller::~Caller() = default;

awaitable<tl::expected<int, Caller::Failure>> Caller::send(Target target, Request request,
                                                           Receiver receiver,
                                                           std::chrono::milliseconds time) const {
    const auto failed = [](Obstacle obstacle, std::string reason = {}) {
        return tl::unexpected(Failure{obstacle, std::move(reason)});
    };
    if (!allowed_.allows(target)) co_return failed(Obstacle::origin);
    const Destination destination{
        .tls = target.tls, .host = target.host, .port = std::to_string(target.port)};
    const auto look_up = [&] {
        return resolve(destination, [this](const asio::ip::address& address) {
            return allowed_.allows(address);
        });
    };
    const auto endpoints = co_await offload(*names_, look_up);
    if (!endpoints && endpoints.error().code == Errc::forbidden)
        co_return failed(Obstacle::address);
    if (!endpoints) co_return failed(Obstacle::name, endpoints.error().message);
    request.set(fields::field::host, target.authority());
    request.set(fields::field::connection, "close");
    asio::steady_timer timer(co_await asio::this_coro::executor, time);
    const auto first = co_await (exchange(destination, *endpoints, request, *tls_, receiver) ||
                                 timer.async_wait(asio::use_awaitable));
    if (first.index() == 1) co_return failed(Obstacle::time);
    const auto& status = std::get<0>(first);
    if (!status && status.error().code == Errc::too_large) co_return failed(Obstacle::size);
    if (!status) co_return failed(Obstacle::exchange, status.error().message);
    co_return *status;
}

}  // namespace plimsoll::outbound
