#include "server/http/access/network.hpp"

#include <boost/asio/ip/network_v6.hpp>

namespace plimsoll::http {

namespace ip = boost::asio::ip;

std::string network_of(const std::string& address) {
    if (address.find(':') == std::string::npos) return address;
    boost::system::error_code error;
    auto v6 = ip::make_address_v6(address, error);
    if (error) return address;
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    v6.scope_id(0);
    return ip::network_v6(v6, 64).canonical().to_string();
}

}  // namespace plimsoll::http
