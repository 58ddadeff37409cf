#include "server/http/messages/response.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http {

Response json_response(int status, const nlohmann::json& body) {
    // Stored texts are already valid UTF-8; if one is not, replacing bytes is better than failing
    // the response.
    return json_text_response(status,
                              body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Response json_text_response(int status, std::string text) {
    Response response;
    response.status = status;
    response.with("Content-Type", "application/json");
    response.body = std::move(text);
    return response;
}

Response located(Response response, std::string url) {
    response.with("Location", std::move(url));
    return response;
}

Response empty_response(int status) {
    Response response;
    response.status = status;
    return response;
}

Response text_response(std::string media_type, std::string body) {
    Response response;
    response.with("Content-Type", std::move(media_type));
    response.body = std::move(body);
    return response;
}

}  // namespace plimsoll::http
