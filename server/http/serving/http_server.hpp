#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/api/services.hpp"
#include "server/http/site/site.hpp"
#include "server/http/wire/listener.hpp"
#include "server/http/wire/traffic.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

// The HTTP side of `plimsoll serve`: contract, handlers, pages and listener.
namespace plimsoll::http {

class HttpServer {
  public:
    // `add_kinds`: adds the kinds' own operations; `version`: of the program, "0.1.0"; without
    // `pages` only the API is served. Throws std::runtime_error if openapi.yaml, the handlers and
    // the job kinds do not match.
    HttpServer(boost::asio::io_context& io, Services services, AddOperations add_kinds,
               const CallerQuotas& quotas, const std::string& version,
               std::optional<StaticFiles> pages);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Returns the port. Errors name the address, the certificate or the key.
    Result<unsigned short> start(const ListenOptions& options);

    Traffic& traffic();

    // See Listener.
    Result<void> reload(const ListenOptions& options, const CallerQuotas& quotas);

    // Answers readiness with 503 from now on, and keeps serving.
    void announce_drain();
    // Stops accepting connections, closes idle ones, finishes running responses and answers long
    // polls immediately.
    void drain();
    // Returns true when all connections are closed, false on timeout.
    awaitable<bool> drained(std::chrono::milliseconds time);
    // Closes all remaining connections.
    void close();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::http
