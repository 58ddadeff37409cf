#pragma once

#include "engine/base/result.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::client {

class HttpConnection;

using Headers = std::map<std::string, std::string, std::less<>>;  // names in lower case

struct Reply {
    int status = 0;
    Headers headers;
    std::string body;
};

// A blocking client of one Plimsoll server: one connection, kept open. A problem+json response
// becomes an Error with its detail and one line for each field it names.
class ApiClient {
  public:
    // `server` is "http://host:port" or "https://host:port".
    ApiClient(std::string server, std::string token);
    ~ApiClient();
    ApiClient(ApiClient&&) noexcept;
    ApiClient& operator=(ApiClient&&) noexcept;

    Result<Reply> send(std::string_view method, const std::string& target, std::string body = {},
                       Headers headers = {});
    Result<nlohmann::json> get_json(const std::string& target);
    // A null body sends none; an empty response returns an empty object.
    Result<nlohmann::json> post_json(const std::string& target, const nlohmann::json& body,
                                     Headers headers = {});
    Result<nlohmann::json> put_json(const std::string& target, const nlohmann::json& body,
                                    Headers headers = {});

    // Reads a long response piece by piece until it ends or `on_piece` returns false.
    Result<void> stream(const std::string& target, Headers headers,
                        const std::function<bool(std::string_view)>& on_piece);

    const std::string& server() const { return server_; }

  private:
    Result<nlohmann::json> send_json(std::string_view method, const std::string& target,
                                     const nlohmann::json& body, Headers headers);
    Result<HttpConnection*> connect();
    Error refusal(const Reply& reply) const;

    std::string server_;
    std::string token_;
    std::unique_ptr<HttpConnection> connection_;
};

}  // namespace plimsoll::client
