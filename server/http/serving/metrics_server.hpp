#pragma once

#include "server/http/wire/listener.hpp"
#include "server/http/wire/traffic.hpp"

#include <functional>
#include <memory>
#include <string>

namespace plimsoll::http {

// GET /metrics on an address of its own, in Prometheus' text format and for whoever reaches that
// address: metrics name devices and operations, but no team, user or text. Answers nothing else.
class MetricsServer {
  public:
    using Collect = std::function<boost::asio::awaitable<std::string>()>;

    MetricsServer(boost::asio::io_context& io, Traffic& traffic, Collect collect);
    ~MetricsServer();

    // The port.
    Result<unsigned short> start(const ListenOptions& options);
    Result<void> reload_tls();
    // Cuts off whoever is there.
    void close();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::http
