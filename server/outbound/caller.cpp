#include "server/outbound/caller.hpp"

#include "server/base/offload.hpp"

#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::outbound {

namespace asio = boost::asio;
namespace fields = boost::beast::http;
using namespace asio::experimental::awaitable_operators;

Caller::Caller(AllowList allowed, std::unique_ptr<asio::ssl::context> tls, std::size_t lookups)
    : allowed_(std::move(allowed)),
      tls_(std::move(tls)),
      names_(std::make_unique<asio::thread_pool>(lookups)) {}
Caller::Caller(Caller&&) noexcept = default;
Caller::~Caller() = default;

asio::awaitable<tl::expected<int, Caller::Failure>> Caller::send(
    Target target, Request request, Receiver receiver, std::chrono::milliseconds time) const {
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
