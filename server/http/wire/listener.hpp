#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/http/wire/listener_state.hpp"

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::http {

struct TlsFiles {
    std::string certificate;  // PEM, the whole chain
    std::string key;          // PEM
};

struct ListenOptions {
    std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
    unsigned short port = 0;            // 0: any free one
    std::optional<TlsFiles> tls;        // none: plain HTTP
    Timeouts timeouts = {};
    TrustedProxies proxies = {};
    AllowedHosts hosts = {};
    std::size_t connections = limits::kConnections;
    std::size_t connections_per_network =
        limits::kConnectionsPerNetwork;  // except a trusted proxy's
};

// Whether a listener could start on this address now; the errors are those of Listener::start.
Result<void> check_listenable(const std::string& address, unsigned short port);

// Accepts connections and serves them on the thread that runs `io`. It must outlive them: call
// `close` and let `io` run dry before it is destroyed.
class Listener {
  public:
    // `application` and `traffic` must outlive it.
    Listener(boost::asio::io_context& io, Application& application, Traffic& traffic);

    // Returns the port. Errors name the address or the file.
    Result<unsigned short> start(const ListenOptions& options);

    // Takes over everything but address, port and time limits, and reads certificate and key again;
    // they are for new connections. On error everything stays as it was.
    Result<void> reload(const ListenOptions& options);

    // Stops accepting connections, closes idle ones and lets the others finish their response.
    void drain();
    // Returns true when all connections are closed, false on timeout.
    awaitable<bool> drained(std::chrono::milliseconds time);
    // Closes all remaining connections.
    void close();

    bool stopping() const { return state_.stopping; }

  private:
    awaitable<void> accept_all();
    awaitable<void> serve(boost::asio::ip::tcp::socket socket);
    bool has_room(const boost::asio::ip::tcp::socket& socket);

    ListenerState state_;
    std::size_t connections_ = 0;
    std::size_t connections_per_network_ = 0;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer changed_;  // cancelled when a connection has gone
    std::unique_ptr<boost::asio::ssl::context> tls_;
};

}  // namespace plimsoll::http
