#pragma once

#include "server/http/messages/problem.hpp"

#include <optional>
#include <string>

#include <boost/beast/http/message.hpp>

// Between Beast's view of a request and ours.
namespace plimsoll::http {

using WireHead = boost::beast::http::request_header<>;

Request read_head(const WireHead& head, const std::string& remote_address, bool secure);

// What a parser lets through and a server should not: no or several Hosts, ambiguous framing, more
// fields than anybody needs.
Outcome<void> check_head(const Request& request, const WireHead& head, bool chunked);

// What to tell a client whose request could not be read; nothing when it is gone.
std::optional<Problem> protocol_problem(boost::system::error_code error, bool timed_out);

}  // namespace plimsoll::http
