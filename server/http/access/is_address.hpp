#pragma once

#include <string>

#include <boost/asio/ip/address.hpp>

namespace plimsoll::http {

// Whether it is an IPv4 or IPv6 address, without brackets and port.
inline bool is_address(const std::string& text) {
    boost::system::error_code error;
    boost::asio::ip::make_address(text, error);
    return !error;
}

}  // namespace plimsoll::http
