#pragma once

#include "server/http/wire/listener.hpp"
#include "server/http/wire/traffic.hpp"

#include <functional>
#include <memory>
#include <string>

namespace plimsoll::http {

// Serves GET /metrics, and nothing else, on its own address in Prometheus' text format, without
// authentication: metrics name devices and operations, but no team, user or text.
class MetricsServer {
  public:
    using Collect = std::function<awaitable<std::string>()>;

    MetricsServer(boost::asio::io_context& io, Traffic& traffic, Collect collect);
    ~MetricsServer();

    // Returns the port.
    Result<unsigned short> start(const ListenOptions& options);
    Result<void> reload(const ListenOptions& options);  // see Listener
    // Closes all connections.
    void close();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::http
