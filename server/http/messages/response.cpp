#include "server/http/messages/response.hpp"

#include "server/base/gzip.hpp"
#include "server/base/offload.hpp"
#include "server/http/messages/limits.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::http {

namespace {

// Made once a second. One I/O thread writes all answers.
const std::string& date() {
    static std::string text;
    static std::time_t made_at = 0;
    if (const auto now = std::time(nullptr); now != made_at) {
        text = http_date(now);
        made_at = now;
    }
    return text;
}

constexpr std::string_view kAlways =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

void append_default(std::string& head, const Response& response, std::string_view name,
                    std::string_view value) {
    if (!find_header(response.headers, name)) append_header(head, name, value);
}

class GzipBody final : public BodyStream {
  public:
    GzipBody(std::unique_ptr<BodyStream> content, boost::asio::thread_pool& pool)
        : content_(std::move(content)), pool_(pool) {}

    awaitable<Result<std::optional<std::string>>> next() override {
        if (ended_) co_return std::nullopt;
        CO_TRY(auto piece, co_await content_->next());
        std::string out;
        if (!piece) {
            ended_ = true;
            gzip_.finish(out);
            co_return out;
        }
        const auto work = [&] { gzip_.add(*piece, out); };
        if (piece->size() <= limits::kInlineBytes)
            work();
        else
            co_await compute(pool_, work);
        co_return out;
    }

  private:
    std::unique_ptr<BodyStream> content_;
    boost::asio::thread_pool& pool_;
    GzipStream gzip_;
    bool ended_ = false;
};

}  // namespace

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

std::string http_date(std::time_t time) {
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 40> buffer{};
    const auto length =
        std::strftime(buffer.data(), buffer.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {buffer.data(), length};
}

void append_header(std::string& head, std::string_view name, std::string_view value) {
    head += name;
    head += ": ";
    head += value;
    head += "\r\n";
}

void append_common_headers(std::string& head, const Response& response, const Request& request) {
    append_header(head, "X-Request-Id", request.id);
    append_header(head, "Date", date());
    head += kAlways;
    // A response with a version is worth storing, to be revalidated with If-None-Match.
    append_default(head, response, "Cache-Control",
                   find_header(response.headers, "ETag") ? "private, no-cache" : "no-store");
    append_default(head, response, "Content-Security-Policy",
                   "default-src 'none'; frame-ancestors 'none'");
    if (request.secure) append_header(head, "Strict-Transport-Security", "max-age=31536000");
}

std::unique_ptr<BodyStream> gzip_body(std::unique_ptr<BodyStream> content,
                                      boost::asio::thread_pool& pool) {
    return std::make_unique<GzipBody>(std::move(content), pool);
}

}  // namespace plimsoll::http
