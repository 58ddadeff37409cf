#include "server/http/wire/listener.hpp"

#include "server/base/log.hpp"
#include "server/http/access/network.hpp"
#include "server/http/wire/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>

namespace plimsoll::http {

namespace asio = boost::asio;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// If the process is out of file descriptors, accepting again immediately would spin.
constexpr std::chrono::milliseconds kAcceptPause{100};

// For TLS 1.2: forward secrecy and authenticated encryption only, no CBC. Those of 1.3 all have
// these.
constexpr const char* kCiphers =
    "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:!aNULL:!eNULL:!PSK:!SRP:!CCM";

constexpr std::string_view kCrowded =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Content-Type: application/problem+json\r\n"
    "Retry-After: 5\r\nConnection: close\r\nContent-Length: 133\r\n\r\n"
    R"({"type":"/docs/problems/unavailable","title":"Service unavailable","status":503,)"
    R"("detail":"Too many connections.","request_id":"none"})";

// Asio leaves sockets open across exec; programs that are started must not hold them.
void close_on_exec(int socket) { fcntl(socket, F_SETFD, FD_CLOEXEC); }

std::string address_of(const tcp::socket& socket) {
    error_code error;
    const auto endpoint = socket.remote_endpoint(error);
    return error ? std::string() : endpoint.address().to_string();
}

Result<std::unique_ptr<asio::ssl::context>> make_tls(const TlsFiles& files) {
    auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                         asio::ssl::context::no_tlsv1_1);
    if (SSL_CTX_set_cipher_list(context->native_handle(), kCiphers) != 1)
        return fail(Errc::internal, "OpenSSL supports none of the ciphers.");
    error_code error;
    context->use_certificate_chain_file(files.certificate, error);
    if (error) {
        return fail(Errc::invalid_input, "The certificate cannot be used: " + error.message() + ".",
                    files.certificate);
    }
    context->use_private_key_file(files.key, asio::ssl::context::pem, error);
    if (error) {
        return fail(Errc::invalid_input, "The key cannot be used: " + error.message() + ".",
                    files.key);
    }
    if (SSL_CTX_check_private_key(context->native_handle()) != 1)
        return fail(Errc::invalid_input, "The key does not match the certificate.", files.key);
    return context;
}

Result<void> open_acceptor(tcp::acceptor& acceptor, const std::string& text, unsigned short port) {
    const auto where = text + ":" + std::to_string(port);
    error_code error;
    const auto address = asio::ip::make_address(text, error);
    if (error)
        return fail(Errc::invalid_input, "The address to listen on must be an IP address.", where);
    const tcp::endpoint endpoint(address, port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) close_on_exec(acceptor.native_handle());
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return {};
    return fail(
        Errc::conflict,
        "Cannot listen on " + where + ": " + error.message() + "." +
            (error == asio::error::address_in_use ? " Choose another port with --port." : ""),
        where);
}

}  // namespace

Result<void> check_listenable(const std::string& address, unsigned short port) {
    asio::io_context io;
    tcp::acceptor acceptor(io);
    return open_acceptor(acceptor, address, port);
}

Listener::Listener(asio::io_context& io, Application& application, Traffic& traffic)
    : state_(application, traffic), acceptor_(io), changed_(io) {}

Result<unsigned short> Listener::start(const ListenOptions& options) {
    state_.timeouts = options.timeouts;
    TRY_DO(reload(options));
    TRY_DO(open_acceptor(acceptor_, options.address, options.port));
    co_spawn(acceptor_.get_executor(), accept_all(), asio::detached);
    return acceptor_.local_endpoint().port();
}

Result<void> Listener::reload(const ListenOptions& options) {
    std::unique_ptr<asio::ssl::context> tls;
    if (options.tls) {
        TRY(tls, make_tls(*options.tls));
    }
    // Open connections keep their context: OpenSSL counts references.
    tls_ = std::move(tls);
    state_.proxies = options.proxies;
    state_.hosts = options.hosts;
    connections_ = options.connections;
    connections_per_network_ = options.connections_per_network;
    return {};
}

awaitable<void> Listener::accept_all() {
    while (acceptor_.is_open()) {
        error_code error;
        auto socket = co_await acceptor_.async_accept(asio::redirect_error(use_awaitable, error));
        if (!acceptor_.is_open()) co_return;
        if (error) {
            log::warn("cannot accept a connection", {{"why", error.message()}});
            asio::steady_timer pause(acceptor_.get_executor(), kAcceptPause);
            co_await pause.async_wait(use_awaitable);
        } else if (!has_room(socket)) {
            // Written without waiting: a new socket's buffer has room for it.
            socket.non_blocking(true, error);
            socket.write_some(asio::buffer(kCrowded), error);
        } else {
            close_on_exec(socket.native_handle());
            auto serving = serve(std::move(socket));
            co_spawn(acceptor_.get_executor(), std::move(serving), asio::detached);
        }
    }
}

awaitable<void> Listener::serve(tcp::socket socket) {
    auto address = address_of(socket);
    try {
        if (tls_)
            co_await serve_tls(std::move(socket), std::move(address), *tls_, state_);
        else
            co_await serve_plain(std::move(socket), std::move(address), state_);
    } catch (const std::exception& error) {
        log::error("connection threw an exception", {{"why", error.what()}});
    }
    changed_.cancel();
}

// A connection that waits for its client makes room for a new one: a client that is disconnected
// there connects again, while a rejected one gets no response at all. Slow readers without
// credentials go first.
bool Listener::has_room(const tcp::socket& socket) {
    const auto close_one = [this](auto may) {
        return state_.close_longest_waiting([&](const OpenConnection& connection) {
            return connection.has_anonymous_reader() && may(connection);
        }) || state_.close_longest_waiting(may);
    };
    const auto address = address_of(socket);
    if (!state_.proxies.trusts(address)) {  // many clients come from there
        const auto network = network_of(address);
        const auto known = state_.per_network.find(network);
        if (known != state_.per_network.end() && known->second >= connections_per_network_)
            return close_one([&](const auto& other) { return other.network() == network; });
    }
    return state_.connections.size() < connections_ || close_one([](const auto&) { return true; });
}

void Listener::drain() {
    state_.stopping = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (auto* connection : state_.connections) connection->finish();
}

awaitable<bool> Listener::drained(std::chrono::milliseconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (!state_.connections.empty() && std::chrono::steady_clock::now() < deadline) {
        changed_.expires_at(deadline);
        error_code ignored;
        co_await changed_.async_wait(asio::redirect_error(use_awaitable, ignored));
    }
    const bool none_left = state_.connections.empty();
    co_return none_left;
}

void Listener::close() {
    drain();
    for (auto* connection : state_.connections) connection->abort();
}

}  // namespace plimsoll::http
