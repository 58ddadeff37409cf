#include "server/jobs/profile/run/llm_call.hpp"

#include "server/jobs/profile/run/llm_dialect.hpp"

#include <array>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/system/system_error.hpp>

namespace plimsoll::jobs::profile {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::awaitable;
using asio::use_awaitable;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostBytes = 4ULL << 20;  // of an answer
constexpr std::uint32_t kMostHead = 16U << 10;
constexpr std::chrono::milliseconds kBetweenLooks{50};

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Error reading_error(const beast::error_code& error) {
    if (error == http::error::body_limit) {
        return {Errc::too_large, "The endpoint's response is larger than 4 MiB.", {}};
    }
    return {Errc::unavailable, "Cannot read the endpoint's response: " + error.message() + ".", {}};
}

template <class Stream>
awaitable<Result<LlmAnswer>> exchange(Stream& stream, const LlmEndpoint& endpoint,
                                      const std::string& body) {
    http::request<http::string_body> request{http::verb::post, endpoint.target, 11};
    request.set(http::field::host, endpoint.host + ":" + endpoint.port);
    request.set(http::field::content_type, "application/json");
    request.set(http::field::user_agent, "plimsoll");
    request.set(http::field::connection, "close");
    request.body() = body;
    request.prepare_payload();
    const auto start = Clock::now();
    co_await http::async_write(stream, request, use_awaitable);
    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.header_limit(kMostHead);
    parser.body_limit(kMostBytes);
    const auto [refused, head] =
        co_await http::async_read_header(stream, buffer, parser, asio::as_tuple(use_awaitable));
    if (refused) co_return fail(reading_error(refused));
    const int status = parser.get().result_int();
    if (status != 200) {
        co_return fail(Errc::unavailable, "The endpoint returned status " + std::to_string(status) +
                                              (status / 100 == 3 ? ", and redirects are not "
                                                                   "followed."
                                                                 : "."));
    }
    LlmReader reader(endpoint.dialect);
    std::array<char, 16 << 10> piece;
    while (!parser.is_done()) {
        parser.get().body().data = piece.data();
        parser.get().body().size = piece.size();
        const auto [error, read] =
            co_await http::async_read_some(stream, buffer, parser, asio::as_tuple(use_awaitable));
        if (error && error != http::error::need_buffer) co_return fail(reading_error(error));
        const auto bytes = piece.size() - parser.get().body().size;
        if (auto taken = reader.take({piece.data(), bytes}, since(start)); !taken) {
            co_return fail(std::move(taken.error()));
        }
    }
    co_return reader.finish(since(start));
}

awaitable<Result<LlmAnswer>> ask(const LlmEndpoint& endpoint, const std::string& body) {
    const auto executor = co_await asio::this_coro::executor;
    asio::ip::tcp::resolver resolver(executor);
    const auto found = co_await resolver.async_resolve(endpoint.host, endpoint.port, use_awaitable);
    if (!endpoint.tls) {
        beast::tcp_stream stream(executor);
        co_await stream.async_connect(found, use_awaitable);
        co_return co_await exchange(stream, endpoint, body);
    }
    asio::ssl::context tls(asio::ssl::context::tls_client);
    tls.set_default_verify_paths();
    tls.set_verify_mode(asio::ssl::verify_peer);
    beast::ssl_stream<beast::tcp_stream> stream(executor, tls);
    stream.set_verify_callback(asio::ssl::host_name_verification(endpoint.host));
    SSL_set_tlsext_host_name(stream.native_handle(), endpoint.host.c_str());
    co_await beast::get_lowest_layer(stream).async_connect(found, use_awaitable);
    co_await stream.async_handshake(asio::ssl::stream_base::client, use_awaitable);
    co_return co_await exchange(stream, endpoint, body);
}

Error transport_error(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& e) {
        // Its own text adds where in the libraries it was thrown.
        return {
            Errc::unavailable, "The endpoint does not respond: " + e.code().message() + ".", {}};
    } catch (const std::exception& e) {
        return {
            Errc::unavailable, std::string("The endpoint does not respond: ") + e.what() + ".", {}};
    }
}

}  // namespace

Result<LlmAnswer> call_llm(const LlmEndpoint& endpoint, const LlmRequest& request,
                           std::chrono::milliseconds timeout, const Watch& watch) {
    const auto body = llm_body(endpoint.dialect, request);
    asio::io_context io{1};
    std::optional<Result<LlmAnswer>> answer;
    asio::co_spawn(io, ask(endpoint, body),
                   [&](const std::exception_ptr& thrown, Result<LlmAnswer> got) {
                       answer = thrown ? fail(transport_error(thrown)) : std::move(got);
                   });
    const auto limit = Clock::now() + timeout;
    while (!answer) {
        if (watch.stopped()) return fail(Errc::cancelled, "The measurement was stopped.");
        if (Clock::now() >= limit) {
            return fail(Errc::timeout, "The endpoint did not respond within " +
                                           std::to_string(timeout.count() / 1000) + " s.");
        }
        io.run_one_for(kBetweenLooks);
    }
    return std::move(*answer);
}

}  // namespace plimsoll::jobs::profile
