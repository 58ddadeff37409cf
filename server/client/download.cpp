#include "server/client/download.hpp"

#include "server/base/addresses.hpp"
#include "server/client/api_client.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <boost/url.hpp>

namespace plimsoll::client {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr int kMaxRedirects = 5;

std::string server_of(const boost::urls::url_view& url) {
    return std::string(url.scheme()) + "://" + std::string(url.encoded_host_and_port());
}

bool is_below(const std::string& host, const std::string& domain) {
    return host == domain || host.ends_with("." + domain);
}

// The address that a response redirects to, if that is allowed.
Result<std::string> redirected(const Origin& origin, const std::string& from,
                               std::string_view location) {
    const auto base = parse_url(from);
    const auto reference = boost::urls::parse_uri_reference(
        boost::core::string_view(location.data(), location.size()));
    boost::urls::url target;
    if (!base || !reference || !boost::urls::resolve(*base, *reference, target))
        return fail(Errc::corrupt, "The server redirects to an invalid URL.");
    const std::string text(target.buffer());
    const auto url = parse_url(text);
    if (!url) return fail(Errc::corrupt, "The server redirects to an invalid URL.");
    if (server_of(*url) == origin.server) return text;
    const std::string host = url->host_address();
    const bool known = std::ranges::any_of(
        origin.redirects, [&](const std::string& domain) { return is_below(host, domain); });
    if (!known || url->scheme() != "https") {
        return fail(Errc::corrupt,
                    "The server redirects to " + server_of(*url) + ", which is not allowed.");
    }
    return text;
}

http::request<http::empty_body> request_for(const Origin& origin, const std::string& address,
                                            std::uint64_t from, const std::string& authority) {
    const auto url = parse_url(address);
    std::string target(url->encoded_path());
    if (target.empty()) target = "/";
    if (url->has_query()) target += "?" + std::string(url->encoded_query());
    http::request<http::empty_body> request(http::verb::get, target, 11);
    request.set(http::field::host, authority);
    request.set(http::field::user_agent, "plimsoll");
    if (!origin.token.empty() && server_of(*url) == origin.server)
        request.set(http::field::authorization, "Bearer " + origin.token);
    if (from > 0) request.set(http::field::range, "bytes=" + std::to_string(from) + "-");
    return request;
}

Error broken(const std::string& address, const beast::error_code& code) {
    const auto url = parse_url(address);
    return {Errc::unavailable,
            (url ? server_of(*url) : address) + " does not respond: " + code.message() + ".",
            {}};
}

Error refused(int status, const std::string& address) {
    const auto url = parse_url(address);
    Error error{Errc::unavailable,
                (url ? server_of(*url) : address) + " responded with status " +
                    std::to_string(status) + ".",
                {}};
    if (status == 401) error.code = Errc::unauthenticated;
    if (status == 403) error.code = Errc::forbidden;
    if (status == 404) error.code = Errc::not_found;
    return error;
}

// An answer to a GET, after redirects, whose body is still to be read.
class Answer {
  public:
    static Result<std::unique_ptr<Answer>> get(const Origin& origin, const std::string& target,
                                               std::uint64_t from) {
        std::string address = origin.server + target;
        for (int hop = 0; hop <= kMaxRedirects; ++hop) {
            auto made = ask(origin, address, from);
            if (!made) return made;
            const int status = (*made)->status();
            if (status < 300 || status >= 400) {
                if (status >= 400 && status != 416) return fail(refused(status, address));
                return made;
            }
            TRY(address, redirected(origin, address, (*made)->field("Location")));
        }
        return fail(Errc::corrupt, "The server redirects too many times.");
    }

    int status() const { return static_cast<int>(parser_.get().result_int()); }
    std::string field(const char* name) const { return std::string(parser_.get()[name]); }

    // The next bytes of the body; none at its end.
    Result<std::string_view> next() {
        while (!parser_.is_done()) {
            auto& body = parser_.get().body();
            body.data = piece_.data();
            body.size = piece_.size();
            body.more = true;
            beast::error_code code;
            connection_->read_some(parser_, code);
            if (code == http::error::need_buffer) code = {};
            if (code) return fail(broken(address_, code));
            const std::string_view bytes(piece_.data(), piece_.size() - body.size);
            if (!bytes.empty()) return bytes;
        }
        return std::string_view();
    }

  private:
    static Result<std::unique_ptr<Answer>> ask(const Origin& origin, const std::string& address,
                                               std::uint64_t from) {
        auto made = std::make_unique<Answer>();
        made->address_ = address;
        const auto url = parse_url(address);
        if (!url) return fail(Errc::invalid_input, "\"" + address + "\" is not a URL.");
        // The origin may be in a private network; hosts that it redirects to may not.
        HttpConnection::AllowAddress allowed;
        if (server_of(*url) != origin.server) allowed = is_public;
        try {
            auto opened = HttpConnection::open(address, allowed);
            if (!opened) return fail(Errc::corrupt, opened.error().message);
            made->connection_ = std::move(*opened);
        } catch (const boost::system::system_error& error) {
            return fail(broken(address, error.code()));
        }
        const auto request = request_for(origin, address, from, made->connection_->authority());
        beast::error_code code;
        made->connection_->write(request, code);
        made->parser_.body_limit(boost::none);
        if (!code) made->connection_->read_header(made->parser_, code);
        if (code) return fail(broken(address, code));
        return made;
    }

    std::string address_;
    std::unique_ptr<HttpConnection> connection_;
    http::response_parser<http::buffer_body> parser_;
    std::array<char, 65536> piece_{};
};

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

tl::unexpected<Error> not_written(const std::filesystem::path& path) {
    const bool is_full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return fail(is_full ? Errc::exhausted : Errc::unavailable,
                path.filename().string() + " cannot be written: " + std::strerror(errno) + ".",
                path.string());
}

std::uint64_t size_of(const std::filesystem::path& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    return error ? 0 : bytes;
}

Result<void> receive(Answer& answer, std::FILE* to, std::uint64_t left,
                     const std::filesystem::path& part, const Watch& watch) {
    while (true) {
        TRY(const auto piece, answer.next());
        if (piece.empty()) break;
        if (piece.size() > left)
            return fail(Errc::corrupt, "The file is larger than the server announced.");
        left -= piece.size();
        if (std::fwrite(piece.data(), 1, piece.size(), to) != piece.size())
            return not_written(part);
        if (watch.progress != nullptr)
            watch.progress->advance(static_cast<std::int64_t>(piece.size()));
        if (watch.stopped()) return fail(Errc::cancelled, "The download was stopped.");
    }
    if (left != 0)
        return fail(Errc::unavailable, "The connection closed before the end of the file.");
    return {};
}

}  // namespace

Result<void> download(const Origin& origin, const RemoteFile& file,
                      const std::filesystem::path& path, const Watch& watch) {
    auto part = path;
    part += ".part";
    auto there = size_of(part);
    if (there > file.bytes) there = 0;
    if (there < file.bytes || there == 0) {
        TRY(auto answer, Answer::get(origin, file.target, there));
        const bool goes_on = answer->status() == 206 && there > 0;
        if (!goes_on) there = 0;
        const File to(std::fopen(part.c_str(), goes_on ? "abe" : "wbe"));
        if (to == nullptr) return not_written(part);
        auto received = receive(*answer, to.get(), file.bytes - there, part, watch);
        if (received && std::fflush(to.get()) != 0) received = not_written(part);
        if (!received) {
            std::error_code ignored;
            const auto code = received.error().code;
            if (code == Errc::corrupt || code == Errc::exhausted)
                std::filesystem::remove(part, ignored);
            return received;
        }
    }
    std::error_code error;
    std::filesystem::rename(part, path, error);
    if (error)
        return fail(Errc::unavailable, "The file cannot be moved into place.", path.string());
    return {};
}

Result<std::string> download_text(const Origin& origin, const std::string& target,
                                  std::size_t max) {
    TRY(auto answer, Answer::get(origin, target, 0));
    std::string text;
    while (true) {
        TRY(const auto piece, answer->next());
        if (piece.empty()) return text;
        text += piece;
        if (text.size() > max) return fail(Errc::too_large, "The response is too large.");
    }
}

}  // namespace plimsoll::client
