#include "server/webhooks/mail.hpp"

#include "server/base/addresses.hpp"
#include "server/webhooks/signature.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <string_view>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <boost/url.hpp>

namespace plimsoll::webhooks {
namespace {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using asio::use_awaitable;
using asio::ip::tcp;

constexpr std::size_t kMaxReply = 8U << 10;  // bytes
constexpr std::chrono::seconds kTime{10};
constexpr int kAccepted = 250;

std::string domain_of(const std::string& address) { return address.substr(address.find('@') + 1); }

// As RFC 5322 writes it; the C locale has English names.
std::string date_of(Timestamp time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
    const std::time_t moment = seconds;
    std::tm utc{};
    gmtime_r(&moment, &utc);
    std::array<char, 40> text{};
    return {text.data(),
            std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S +0000", &utc)};
}

// In base64 no line begins with a dot, which would end the message.
std::string mail_of(const MailServer& server, const std::string& to, const Outgoing& notice,
                    const Message& message) {
    constexpr std::size_t kLine = 76;
    const auto body = base64(message.text + "\r\n" + message.link + "\r\n");
    std::string mail = "From: Plimsoll <" + server.from + ">\r\nTo: <" + to +
                       ">\r\nSubject: " + message.title +
                       "\r\nDate: " + date_of(notice.created_at) + "\r\nMessage-ID: <" +
                       to_public(notice.id) + "@" + domain_of(server.from) +
                       ">\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
                       "Content-Type: text/plain; charset=utf-8\r\n"
                       "Content-Transfer-Encoding: base64\r\n";
    for (std::size_t at = 0; at < body.size(); at += kLine) mail += "\r\n" + body.substr(at, kLine);
    return mail + "\r\n.";
}

template <class Stream>
class Conversation {
  public:
    explicit Conversation(Stream& stream) : stream_(stream) {}

    // The whole reply to a line, none for the greeting; a failure unless it begins with `expected`.
    awaitable<Result<std::string>> say(std::string line, char expected = '2') {
        if (!line.empty()) {
            line += "\r\n";
            co_await asio::async_write(stream_, asio::buffer(line), use_awaitable);
        }
        std::string reply;
        for (bool is_last = false; !is_last;) {
            const auto size = co_await asio::async_read_until(
                stream_, asio::dynamic_buffer(buffer_, kMaxReply), '\n', use_awaitable);
            is_last = size < 4 || buffer_[3] != '-';
            reply.append(buffer_, 0, size);
            buffer_.erase(0, size);
            if (reply.size() > kMaxReply)
                co_return fail(Errc::unavailable, "its reply is too long");
        }
        if (reply.front() != expected)
            co_return fail(Errc::unavailable, "it replied with " + reply.substr(0, 3));
        co_return reply;
    }

    awaitable<Result<void>> hand_over(const MailServer& server, const std::string& to,
                                      const std::string& mail) {
        if (!server.user.empty()) {
            using namespace std::string_literals;
            CO_TRY_DO(co_await say("AUTH PLAIN " +
                                   base64("\0"s + server.user + "\0"s + server.password)));
        }
        CO_TRY_DO(co_await say("MAIL FROM:<" + server.from + ">"));
        CO_TRY_DO(co_await say("RCPT TO:<" + to + ">"));
        CO_TRY_DO(co_await say("DATA", '3'));
        CO_TRY_DO(co_await say(mail));
        // It has the message, whatever follows.
        static constexpr std::string_view kQuit = "QUIT\r\n";
        co_await asio::async_write(stream_, asio::buffer(kQuit), asio::as_tuple(use_awaitable));
        co_return Result<void>{};
    }

  private:
    Stream& stream_;
    std::string buffer_;
};

awaitable<Result<void>> converse(const MailServer& server, asio::ssl::context& tls,
                                 const std::string& to, const std::string& mail) {
    const auto executor = co_await asio::this_coro::executor;
    tcp::resolver resolver(executor);
    const auto places = co_await resolver.async_resolve(server.host, server.port, use_awaitable);
    tcp::socket socket(executor);
    co_await asio::async_connect(socket, places, use_awaitable);
    const auto hello = "EHLO " + domain_of(server.from);
    if (!server.tls) {
        Conversation<tcp::socket> plain(socket);
        CO_TRY_DO(co_await plain.say(""));
        CO_TRY(const auto offers, co_await plain.say(hello));
        const bool offers_tls = offers.find("STARTTLS") != std::string::npos;
        if (!offers_tls && !server.user.empty())
            co_return fail(Errc::unavailable, "it offers no TLS, which the password needs");
        if (!offers_tls) co_return co_await plain.hand_over(server, to, mail);
        CO_TRY_DO(co_await plain.say("STARTTLS"));
    }
    // What else came in plain text before the handshake is dropped with `plain`.
    using Secure = asio::ssl::stream<tcp::socket&>;
    Secure secure(socket, tls);
    SSL_set_tlsext_host_name(secure.native_handle(), server.host.c_str());
    secure.set_verify_callback(asio::ssl::host_name_verification(server.host));
    co_await secure.async_handshake(asio::ssl::stream_base::client, use_awaitable);
    Conversation<Secure> conversation(secure);
    if (server.tls) {
        CO_TRY_DO(co_await conversation.say(""));
    }
    CO_TRY_DO(co_await conversation.say(hello));
    co_return co_await conversation.hand_over(server, to, mail);
}

awaitable<Result<void>> without_exceptions(const MailServer& server, asio::ssl::context& tls,
                                           const std::string& to, const std::string& mail) {
    try {
        co_return co_await converse(server, tls, to, mail);
    } catch (const boost::system::system_error& error) {
        co_return fail(Errc::unavailable, error.code().message());
    }
}

}  // namespace

Result<MailServer> parse_mail_server(const std::string& url, const std::string& from) {
    MailServer server;
    server.from = from;
    if (url.empty()) return server;
    const auto parsed = parse_url(url);
    if (!parsed || (parsed->scheme() != "smtp" && parsed->scheme() != "smtps") ||
        parsed->host_address().empty() || parsed->has_query() || parsed->has_fragment() ||
        parsed->encoded_path().size() > 1)
        return fail(Errc::invalid_input, "must be smtp://host[:port] or smtps://host[:port]");
    server.tls = parsed->scheme() == "smtps";
    server.host = parsed->host_address();
    server.port = parsed->has_port() ? std::string(parsed->port()) : server.tls ? "465" : "587";
    server.user = parsed->user();
    server.password = parsed->password();
    return server;
}

awaitable<Attempted> send_mail(const MailServer& server, asio::ssl::context& tls,
                               const std::string& to, const Outgoing& notice,
                               const Message& message) {
    const auto failed = [](std::string why) {
        return Attempted{.status = std::nullopt, .error = std::move(why)};
    };
    if (server.host.empty())
        co_return failed("The operator has set no mail server (webhooks.mail_server).");
    const auto mail = mail_of(server, to, notice, message);
    asio::steady_timer timer(co_await asio::this_coro::executor, kTime);
    const auto first =
        co_await (without_exceptions(server, tls, to, mail) || timer.async_wait(use_awaitable));
    if (first.index() == 1)
        co_return failed("The mail server did not respond within " + std::to_string(kTime.count()) +
                         " s.");
    const auto& done = std::get<0>(first);
    if (!done) co_return failed("The mail server did not take it: " + done.error().message + ".");
    co_return Attempted{.status = kAccepted, .error = {}};
}

}  // namespace plimsoll::webhooks
