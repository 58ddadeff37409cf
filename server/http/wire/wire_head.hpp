#pragma once

#include "server/http/messages/problem.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/message.hpp>

// Conversion between Beast's request head and ours.
namespace plimsoll::http {

using WireHead = boost::beast::http::request_header<>;

Request read_head(const WireHead& head, const std::string& remote_address, bool secure);

// Rejects what the parser accepts but a server must not: not exactly one Host field, ambiguous
// framing, too many fields.
Outcome<void> check_head(const Request& request, const WireHead& head, bool chunked);

// Whether a line of the head begins with white space and so continues the one before it (obs-fold).
bool has_folded_line(std::string_view head);

// The response to an unreadable request; nullopt if the client is gone.
std::optional<Problem> protocol_problem(boost::system::error_code error, bool timed_out);

}  // namespace plimsoll::http
