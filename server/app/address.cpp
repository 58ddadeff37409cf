#include "server/app/address.hpp"

namespace plimsoll::app {

std::string address_of(const Settings::Http& http, int port) {
    const bool tls = !http.tls_certificate.empty();
    const bool ipv6 = http.host.find(':') != std::string::npos;
    return std::string(tls ? "https://" : "http://") + (ipv6 ? "[" + http.host + "]" : http.host) +
           ":" + std::to_string(port);
}

}  // namespace plimsoll::app
