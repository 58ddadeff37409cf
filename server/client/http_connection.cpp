#include "server/client/http_connection.hpp"

#include "server/base/parse_url.hpp"

#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace plimsoll::client {

namespace asio = boost::asio;
namespace beast = boost::beast;

Result<std::unique_ptr<HttpConnection>> HttpConnection::open(const std::string& address,
                                                             const AllowAddress& allowed) {
    const auto url = parse_url(address);
    if (!url || (url->scheme() != "http" && url->scheme() != "https") ||
        url->host_address().empty()) {
        return fail(Errc::invalid_input, "\"" + address + "\" is not an http or https URL.");
    }
    const bool tls = url->scheme() == "https";
    const std::string host = url->host_address();
    const std::string port = url->has_port() ? std::string(url->port()) : tls ? "443" : "80";
    std::unique_ptr<HttpConnection> made(
        new HttpConnection(std::string(url->encoded_host_and_port())));
    asio::ip::tcp::resolver resolver(made->io_);
    std::vector<asio::ip::tcp::endpoint> endpoints;
    for (const auto& found : resolver.resolve(host, port)) {
        if (!allowed || allowed(found.endpoint().address())) endpoints.push_back(found.endpoint());
    }
    if (endpoints.empty()) {
        return fail(Errc::forbidden, "\"" + host + "\" has no address on the public internet.");
    }
    if (!tls) {
        made->stream_.emplace<Plain>(made->io_).connect(endpoints);
        return made;
    }
    made->tls_.set_default_verify_paths();
    made->tls_.set_verify_mode(asio::ssl::verify_peer);
    auto& stream = made->stream_.emplace<Tls>(made->io_, made->tls_);
    stream.set_verify_callback(asio::ssl::host_name_verification(host));
    SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
    beast::get_lowest_layer(stream).connect(endpoints);
    stream.handshake(asio::ssl::stream_base::client);
    return made;
}

}  // namespace plimsoll::client
