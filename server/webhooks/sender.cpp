#include "server/webhooks/sender.hpp"

#include "server/webhooks/message.hpp"
#include "server/webhooks/signature.hpp"

#include <algorithm>

#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::webhooks {

namespace asio = boost::asio;
namespace wire = boost::beast::http;
using namespace asio::experimental::awaitable_operators;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

namespace {

constexpr std::size_t kHeaderBytes = 16 * 1024;  // of the answer

using Endpoints = std::vector<tcp::endpoint>;
using Message = wire::request<wire::string_body>;

Attempted failed(std::string why) {
    return {.status = std::nullopt, .error = std::move(why)};
}

Message message_of(const Outgoing& notice, const Target& target, Timestamp now) {
    const auto id = to_public(notice.id);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    const auto timestamp = std::to_string(seconds);
    Message message(wire::verb::post, target.path, 11);
    message.body() = body_of(notice);
    message.set(wire::field::host, target.authority());
    message.set(wire::field::user_agent, "Plimsoll-Webhooks/1");
    message.set(wire::field::content_type, "application/json");
    message.set(wire::field::connection, "close");
    message.set("webhook-id", id);
    message.set("webhook-timestamp", timestamp);
    message.set("webhook-signature", signature(notice.secret, id, timestamp, message.body()));
    message.prepare_payload();
    return message;
}

template <class Stream>
awaitable<int> exchange(Stream& stream, const Message& message) {
    co_await wire::async_write(stream, message, use_awaitable);
    boost::beast::flat_buffer buffer;
    wire::response_parser<wire::empty_body> parser;
    parser.header_limit(kHeaderBytes);
    co_await wire::async_read_header(stream, buffer, parser, use_awaitable);
    co_return static_cast<int>(parser.get().result_int());
}

awaitable<int> post(const Target& target, const Endpoints& endpoints, const Message& message,
                    asio::ssl::context& tls) {
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await asio::async_connect(socket, endpoints, use_awaitable);
    if (!target.tls) co_return co_await exchange(socket, message);
    asio::ssl::stream<tcp::socket&> stream(socket, tls);
    SSL_set_tlsext_host_name(stream.native_handle(), target.host.c_str());
    stream.set_verify_callback(asio::ssl::host_name_verification(target.host));
    co_await stream.async_handshake(asio::ssl::stream_base::client, use_awaitable);
    co_return co_await exchange(stream, message);
}

Attempted judged(int status) {
    Attempted attempted{.status = status, .error = {}};
    if (status >= 200 && status < 300) return attempted;
    attempted.error = "The receiver responded with " + std::to_string(status);
    attempted.error += status >= 300 && status < 400 ? "; redirects are not followed." : ".";
    return attempted;
}

// A connection or protocol failure is an outcome of the attempt, not an internal error.
awaitable<Attempted> tried(awaitable<int> posting) {
    try {
        co_return judged(co_await std::move(posting));
    } catch (const boost::system::system_error& error) {
        co_return failed("The receiver could not be reached: " + error.code().message() + ".");
    }
}

}  // namespace

Sender::Sender(asio::any_io_executor executor, AllowList allowed,
               std::unique_ptr<asio::ssl::context> tls)
    : executor_(std::move(executor)), allowed_(std::move(allowed)), tls_(std::move(tls)) {}
Sender::Sender(Sender&&) noexcept = default;
Sender::~Sender() = default;

Result<Sender> Sender::make(asio::any_io_executor executor, AllowList allowed,
                            const std::string& authorities) {
    auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
    tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                     asio::ssl::context::no_tlsv1_1);
    tls->set_verify_mode(asio::ssl::verify_peer);
    boost::system::error_code error;
    tls->set_default_verify_paths(error);
    if (!error && !authorities.empty()) tls->load_verify_file(authorities, error);
    if (error) {
        return fail(Errc::invalid_input,
                    "The certificate authorities cannot be used: " + error.message() + ".",
                    authorities);
    }
    return Sender(std::move(executor), std::move(allowed), std::move(tls));
}

awaitable<Attempted> Sender::send(const Outgoing& notice, Timestamp now) {
    const auto target = parse_target(notice.url);
    if (!target || !allowed_.allows(*target)) {
        co_return failed("The operator has not allowed notices to this origin.");
    }
    boost::system::error_code error;
    tcp::resolver resolver(executor_);
    const auto resolved = co_await resolver.async_resolve(
        target->host, std::to_string(target->port), asio::redirect_error(use_awaitable, error));
    if (error)
        co_return failed("The receiver's host name cannot be resolved: " + error.message() + ".");
    Endpoints endpoints;
    for (const auto& entry : resolved) endpoints.push_back(entry.endpoint());
    if (!std::ranges::all_of(endpoints, [&](const tcp::endpoint& endpoint) {
            return allowed_.allows(endpoint.address());
        })) {
        co_return failed("The receiver's host name resolves to an address that is not allowed.");
    }
    const auto message = message_of(notice, *target, now);
    asio::steady_timer timer(executor_, kTime);
    const auto first = co_await (tried(post(*target, endpoints, message, *tls_)) ||
                                 timer.async_wait(use_awaitable));
    if (first.index() == 1) {
        co_return failed("The receiver did not respond within " + std::to_string(kTime.count()) +
                         " s.");
    }
    co_return std::get<0>(first);
}

}  // namespace plimsoll::webhooks
