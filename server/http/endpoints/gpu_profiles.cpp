#include "server/http/endpoints/endpoints.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;

namespace {

awaitable<Outcome<Response>> answer(std::string list) {
    co_return text_response("application/json", std::move(list));
}

}  // namespace

void add_gpu_profiles(Handlers& handlers, const std::string& list) {
    handlers["listGpuProfiles"] = [list](const Call&) { return answer(list); };
}

}  // namespace plimsoll::http::endpoints
