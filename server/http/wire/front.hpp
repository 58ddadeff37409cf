#pragma once

#include "server/http/access/allowed_hosts.hpp"
#include "server/http/access/trusted_proxies.hpp"
#include "server/http/messages/application.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/wire/traffic.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace plimsoll::http {

// A connection as the listener sees it.
class OpenConnection {
  public:
    virtual ~OpenConnection() = default;
    // Closes it if idle; otherwise after the current response.
    virtual void finish() = 0;
    // Closes it immediately.
    virtual void abort() = 0;
    // The client's network, see network_of.
    virtual const std::string& network() const = 0;
    // When it began to wait for the head of a request; empty while it handles one.
    virtual std::optional<std::chrono::steady_clock::time_point> waiting_since() const = 0;
};

// State shared by all connections of a listener. Used by the I/O thread only.
struct Front {
    Front(Application& app, Traffic& counts) : application(app), traffic(counts) {}

    Application& application;
    Traffic& traffic;
    Timeouts timeouts;
    TrustedProxies proxies;
    AllowedHosts hosts;
    TieredBudget bodies{limits::kBodies};
    std::set<OpenConnection*> connections;
    std::map<std::string, std::size_t> per_network;
    bool stopping = false;
};

}  // namespace plimsoll::http
