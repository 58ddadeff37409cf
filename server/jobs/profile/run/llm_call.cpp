#include "server/jobs/profile/run/llm_call.hpp"

#include "server/jobs/profile/run/llm_dialect.hpp"
#include "server/outbound/exchange.hpp"

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::jobs::profile {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::awaitable;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostBytes = 4ULL << 20;  // of an answer
constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr int kOk = 200;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Error exchange_error(Error error) {
    if (error.code == Errc::too_large) {
        error.message = "The endpoint's response is larger than 4 MiB.";
    } else if (error.code == Errc::unavailable) {
        error.message = "The endpoint does not respond: " + error.message + ".";
    }
    return error;
}

outbound::Request request_of(const LlmEndpoint& endpoint, const std::string& body) {
    outbound::Request request{http::verb::post, endpoint.target, 11};
    request.set(http::field::host, endpoint.host + ":" + endpoint.port);
    request.set(http::field::content_type, "application/json");
    request.set(http::field::user_agent, "plimsoll");
    request.set(http::field::connection, "close");
    request.body() = body;
    request.prepare_payload();
    return request;
}

awaitable<Result<LlmAnswer>> ask(const LlmEndpoint& endpoint, const std::string& body,
                                 asio::ssl::context& tls) {
    const outbound::Destination destination{
        .tls = endpoint.tls, .host = endpoint.host, .port = endpoint.port};
    const auto endpoints = co_await outbound::resolve(destination);
    if (!endpoints) co_return fail(exchange_error(endpoints.error()));
    const auto request = request_of(endpoint, body);
    LlmReader reader(endpoint.dialect);
    const auto start = Clock::now();
    const outbound::Receiver receiver{
        .wants_body = [](int status) { return status == kOk; },
        .body = [&](std::string_view piece) { return reader.take(piece, since(start)); },
        .most_bytes = kMostBytes};
    const auto status =
        co_await outbound::exchange(destination, *endpoints, request, tls, receiver);
    if (!status) co_return fail(exchange_error(status.error()));
    if (*status != kOk) {
        co_return fail(Errc::unavailable,
                       "The endpoint returned status " + std::to_string(*status) +
                           (*status / 100 == 3 ? ", and redirects are not followed." : "."));
    }
    co_return reader.finish(since(start));
}

}  // namespace

Result<LlmAnswer> call_llm(const LlmEndpoint& endpoint, const LlmRequest& request,
                           std::chrono::milliseconds timeout, const Watch& watch) {
    const auto body = llm_body(endpoint.dialect, request);
    auto tls = outbound::verifying_context();
    if (!tls) return fail(std::move(tls.error()));
    asio::io_context io{1};
    std::optional<Result<LlmAnswer>> answer;
    asio::co_spawn(io, ask(endpoint, body, **tls),
                   [&](const std::exception_ptr& thrown, Result<LlmAnswer> got) {
                       if (thrown) std::rethrow_exception(thrown);
                       answer = std::move(got);
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
