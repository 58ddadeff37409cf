#pragma once

#include <map>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::http::test {

struct RawResponse {
    int status = 0;
    std::multimap<std::string, std::string> headers;  // names in lower case
    std::string body;

    std::string header(const std::string& name) const;
    nlohmann::json json() const { return nlohmann::json::parse(body); }
};

// A client that sends exactly the bytes it is told to.
class RawClient {
  public:
    explicit RawClient(unsigned short port);

    void send(std::string_view bytes);
    // Sends no more; responses can still be received.
    void finish_sending();
    // The next response on the connection; status 0 when it was closed instead.
    RawResponse receive(bool head = false);
    // Bytes up to and including `end`; less when the connection was closed.
    std::string receive_until(std::string_view end);
    // True when the server closed the connection (after at most what is left unread).
    bool closed();

  private:
    bool read_more();

    boost::asio::io_context io_;
    boost::asio::ip::tcp::socket socket_;
    std::string buffer_;
};

}  // namespace plimsoll::http::test
