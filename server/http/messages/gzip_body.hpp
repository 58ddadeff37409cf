#pragma once

#include "server/http/messages/response.hpp"

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http {

// Wraps a body as one gzip member, compressed on the pool piece by piece on demand.
std::unique_ptr<BodyStream> gzip_body(std::unique_ptr<BodyStream> content,
                                      boost::asio::thread_pool& pool);

}  // namespace plimsoll::http
