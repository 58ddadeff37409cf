#pragma once

#include "engine/base/result.hpp"
#include "server/base/time.hpp"
#include "server/http/listener.hpp"
#include "server/identity/store.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/store.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

// The whole HTTP side of `plimsoll serve`, put together: contract, handlers, pages, listener.
namespace plimsoll::http {

// All of it must outlive the server.
struct Backends {
    queue::JobStore& jobs;
    queue::JobSignals& signals;
    identity::IdentityStore& identity;
    const Clock& clock;
    std::span<const jobs::Contract> kinds;
};

struct ServerOptions {
    ListenOptions listen;
    std::filesystem::path web_folder;  // the built pages; empty: the API alone
    std::string version;               // of the program: "0.1.0"
};

class HttpServer {
  public:
    // Throws std::runtime_error when openapi.yaml, the handlers and the job kinds do not agree.
    HttpServer(boost::asio::io_context& io, Backends backends, const ServerOptions& options);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // The port. Errors name the address, the certificate or the folder of the pages.
    Result<unsigned short> start();
    // Not ready any more; new connections are refused, answers under way are finished, those who
    // wait for a job are sent home. True when everybody left in `time`; the rest is cut off.
    boost::asio::awaitable<bool> drain(std::chrono::milliseconds time);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::http
