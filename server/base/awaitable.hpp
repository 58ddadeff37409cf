#pragma once

#include <boost/asio/awaitable.hpp>

namespace plimsoll {

using boost::asio::awaitable;

}  // namespace plimsoll
