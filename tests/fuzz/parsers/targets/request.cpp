// The head of a request: target, query, parameters and the fields that have a grammar of their own.
#include "server/http/messages/request.hpp"

#include "server/http/contract/contract.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/http/contract/parameters.hpp"
#include "server/http/contract/router.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/byte_range.hpp"
#include "server/http/wire/wire_head.hpp"
#include "tests/fuzz/parsers/targets.hpp"

namespace plimsoll::fuzz {

using namespace http;

namespace {

std::string_view next_line(std::string_view& rest) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

// "METHOD TARGET", then a line for each field.
Request request_of(std::string_view text) {
    Request request;
    const auto line = next_line(text);
    const auto space = std::min(line.find(' '), line.size());
    request.method = line.substr(0, space);
    request.target = line.substr(std::min(space + 1, line.size()));
    while (!text.empty()) {
        const auto field = next_line(text);
        const auto colon = std::min(field.find(':'), field.size());
        request.headers.push_back({std::string(field.substr(0, colon)),
                                   std::string(field.substr(std::min(colon + 1, field.size())))});
    }
    return request;
}

}  // namespace

void give_request(std::string_view text) {
    static const Contract contract(contract_json());
    static const Router router(contract);
    has_folded_line(text);
    const auto request = request_of(text);
    ensure(trace_id(request).empty() || trace_id(request).size() == 32);
    static_cast<void>(request.cookie("plimsoll_session"));
    for (const auto& [name, value] : request.headers) {
        const std::vector<std::string> offered{"application/json", "text/event-stream"};
        const auto chosen = negotiate(value, offered);
        ensure(!chosen || *chosen == offered[0] || *chosen == offered[1]);
        ensure(!chosen || is_acceptable(value, offered));
        static_cast<void>(accepts_encoding(value, "gzip"));
        const auto range = parse_byte_range(value);
        if (!range) continue;
        if (const auto slice = slice_of(*range, 1000))
            ensure(slice->first <= slice->last && slice->last < 1000);
    }
    const auto target = parse_target(request.target);
    if (!target) return;
    for (const auto& segment : target->segments) ensure(segment != "." && segment != "..");
    const auto match = router.match(request.method, *target);
    ensure(match || match.error().status == 404 || match.error().status == 405);
    if (!match) return;
    const auto parameters = Parameters::read(*match, *target, request);
    ensure(parameters || (parameters.error().status == 400 && !parameters.error().errors.empty()));
}

}  // namespace plimsoll::fuzz
