#include "server/kinds/profile/run/llm_call.hpp"

#include "server/kinds/profile/run/llm_dialect.hpp"
#include "server/outbound/caller.hpp"

#include <exception>
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
using outbound::Caller;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostBytes = 4ULL << 20;  // of an answer
constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr int kOk = 200;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Error error_of(const Caller::Failure& failure, std::chrono::milliseconds timeout) {
    switch (failure.obstacle) {
        case Caller::Obstacle::address:
            return {
                Errc::forbidden,
                "The endpoint's address is not public. If it is the right one, add its network to "
                "llm.allowed_networks (LLM_ALLOWED_NETWORKS).",
                {}};
        case Caller::Obstacle::time:
            return {Errc::timeout,
                    "The endpoint did not respond within " +
                        std::to_string(timeout / std::chrono::seconds(1)) + " s.",
                    {}};
        case Caller::Obstacle::size:
            return {Errc::too_large, "The endpoint's response is larger than 4 MiB.", {}};
        case Caller::Obstacle::origin:
        case Caller::Obstacle::name:
        case Caller::Obstacle::exchange:
            break;
    }
    return {Errc::unavailable, "The endpoint does not respond: " + failure.reason + ".", {}};
}

outbound::Request request_of(const std::string& target, const std::string& body) {
    outbound::Request request{http::verb::post, target, 11};
    request.set(http::field::content_type, "application/json");
    request.set(http::field::user_agent, "plimsoll");
    request.body() = body;
    request.prepare_payload();
    return request;
}

awaitable<Result<LlmAnswer>> ask(const Caller& caller, outbound::Target target, LlmDialect dialect,
                                 const std::string& body, std::chrono::milliseconds timeout) {
    LlmReader reader(dialect);
    std::optional<Error> wrong;  // in the response
    const auto start = Clock::now();
    outbound::Receiver receiver{.wants_body = [](int status) { return status == kOk; },
                                .body = [&](std::string_view piece) -> Result<void> {
                                    auto taken = reader.take(piece, since(start));
                                    if (!taken) wrong = taken.error();
                                    return taken;
                                },
                                .most_bytes = kMostBytes};
    auto request = request_of(target.path, body);
    const auto status =
        co_await caller.send(std::move(target), std::move(request), std::move(receiver), timeout);
    if (wrong) co_return fail(std::move(*wrong));
    if (!status) co_return fail(error_of(status.error(), timeout));
    if (*status != kOk) {
        co_return fail(Errc::unavailable,
                       "The endpoint returned status " + std::to_string(*status) +
                           (*status / 100 == 3 ? ", and redirects are not followed." : "."));
    }
    co_return reader.finish(since(start));
}

}  // namespace

Result<LlmAnswer> call_llm(const LlmEndpoint& endpoint, const std::string& networks,
                           const LlmRequest& request, std::chrono::milliseconds timeout,
                           const Watch& watch) {
    auto target = outbound::parse_target(endpoint.url);
    if (!target) return fail(std::move(target.error()));
    auto allowed = outbound::AllowList::parse(target->origin(), networks);
    if (!allowed) return fail(std::move(allowed.error()));
    auto tls = outbound::verifying_context();
    if (!tls) return fail(std::move(tls.error()));
    const auto body = llm_body(endpoint.dialect, request);
    asio::io_context io{1};
    // Outlives the caller, whose pending name lookups report to it.
    const Caller caller(std::move(*allowed), std::move(*tls));
    std::optional<Result<LlmAnswer>> answer;
    asio::co_spawn(io, ask(caller, std::move(*target), endpoint.dialect, body, timeout),
                   [&](const std::exception_ptr& thrown, Result<LlmAnswer> got) {
                       if (thrown) std::rethrow_exception(thrown);
                       answer = std::move(got);
                   });
    // A name may be looked up for longer.
    const auto limit = Clock::now() + timeout;
    while (!answer) {
        if (watch.stopped()) return fail(Errc::cancelled, "The measurement was stopped.");
        if (Clock::now() >= limit) {
            return fail(error_of({Caller::Obstacle::time, {}}, timeout));
        }
        io.run_one_for(kBetweenLooks);
    }
    return std::move(*answer);
}

}  // namespace plimsoll::jobs::profile
