#pragma once

#include "server/http/access/allowed_hosts.hpp"
#include "server/http/access/network.hpp"
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
    // When it began to wait for its client, to send the head of a request or to read more of a
    // response; empty while it works.
    virtual std::optional<std::chrono::steady_clock::time_point> waiting_since() const = 0;
    // It waits for a client without credentials to read.
    virtual bool has_anonymous_reader() const = 0;
    // To whom the response in memory is charged; null: it is small, or there is none.
    virtual const FairBudget::Holder* response_holder() const = 0;
};

// State shared by all connections of a listener. Used by the I/O thread only.
struct ListenerState {
    ListenerState(Application& app, Traffic& counts) : application(app), traffic(counts) {}

    Application& application;
    Traffic& traffic;
    Timeouts timeouts;
    TrustedProxies proxies;
    AllowedHosts hosts;
    TieredBudget bodies{limits::kBodies};
    FairBudget responses{limits::kResponses};
    std::size_t freed_response_bytes = 0;  // since the application was told
    std::set<OpenConnection*> connections;
    std::map<std::string, std::size_t> per_network;
    bool stopping = false;

    // Closes the connection that has waited longest for its client, among those that `may` be
    // closed. False if there is none.
    template <class May>
    bool close_longest_waiting(May may) {
        OpenConnection* longest = nullptr;
        for (auto* connection : connections) {
            if (!connection->waiting_since() || !may(*connection)) continue;
            if (longest && longest->waiting_since() <= connection->waiting_since()) continue;
            longest = connection;
        }
        if (longest != nullptr) longest->abort();
        return longest != nullptr;
    }
};

}  // namespace plimsoll::http
