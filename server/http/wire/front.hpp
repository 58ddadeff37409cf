#pragma once

#include "server/base/budget.hpp"
#include "server/http/access/trusted_proxies.hpp"
#include "server/http/messages/application.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/wire/traffic.hpp"

#include <map>
#include <set>
#include <string>

namespace plimsoll::http {

// A connection as the listener sees it.
class OpenConnection {
  public:
    virtual ~OpenConnection() = default;
    // Closes it if it waits for a request; otherwise it closes after its present answer.
    virtual void finish() = 0;
    // Closes it in the middle of whatever it does.
    virtual void abort() = 0;
};

// What all connections of a listener share. Touched by the I/O thread alone.
struct Front {
    Front(Application& app, Traffic& counts) : application(app), traffic(counts) {}

    Application& application;
    Traffic& traffic;
    Timeouts timeouts;
    TrustedProxies proxies;
    Budget body_bytes{limits::kBodyBytesInFlight};
    std::set<OpenConnection*> connections;
    std::map<std::string, std::size_t> per_address;
    bool stopping = false;
};

}  // namespace plimsoll::http
