#include "server/http/site/site.hpp"

#include "server/http/contract/router.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/fingerprint.hpp"
#include "server/http/messages/problem.hpp"

#include <array>
#include <fstream>
#include <iterator>

namespace plimsoll::http {

namespace fs = std::filesystem;

namespace {

struct Type {
    std::string_view extension;
    std::string_view media_type;
};
constexpr std::array kTypes = {
    Type{".html", "text/html; charset=utf-8"},
    Type{".js", "text/javascript; charset=utf-8"},
    Type{".css", "text/css; charset=utf-8"},
    Type{".csv", "text/csv; charset=utf-8"},
    Type{".svg", "image/svg+xml"},
    Type{".png", "image/png"},
    Type{".ico", "image/x-icon"},
    Type{".woff2", "font/woff2"},
    Type{".json", "application/json"},
    Type{".webmanifest", "application/manifest+json"},
    Type{".txt", "text/plain; charset=utf-8"},
};

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors "
    "'none'; "
    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html";

// The `type` of a problem is such an address; the pages have theirs in the fragment.
constexpr std::string_view kDocumentation = "/docs/";

std::string_view media_type_of(const fs::path& path) {
    const auto extension = path.extension().string();
    for (const auto& type : kTypes)
        if (type.extension == extension) return type.media_type;
    return "application/octet-stream";
}

std::string read_whole(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string path_of(const Target& target) {
    if (target.segments.empty()) return "/index.html";
    std::string path;
    for (const auto& segment : target.segments) path += '/' + segment;
    return path;
}

}  // namespace

class StaticExchange final : public Exchange {
  public:
    explicit StaticExchange(const StaticFiles& files) : files_(files) {}

    awaitable<std::optional<Response>> admit(const Request& head) override {
        auto answered = find(head);
        if (!answered) co_return to_response(answered.error(), head.id);
        co_return std::move(*answered);
    }
    std::size_t body_limit() const override { return 0; }
    Subject subject() const override { return {.operation = "page"}; }
    FairBudget::Holder holder(const Request&) const override { return {}; }
    awaitable<Response> answer(const Request& request, BodySource*) override {
        // The head decides; nothing is ever admitted to send a body.
        co_return to_response(Problem(404, "There is no resource at this path."), request.id);
    }

  private:
    Outcome<Response> find(const Request& head) const {
        TRY(const auto target, parse_target(head.target));
        const auto file = files_.files_.find(path_of(target));
        const bool documentation = head.target.starts_with(kDocumentation);
        if (file == files_.files_.end() && !documentation)
            return refuse(404, "There is no resource at this path.");
        if (head.method != "GET" && head.method != "HEAD") {
            Problem problem(405, "This path does not support the method.");
            problem.headers.push_back({"Allow", "GET, HEAD"});
            return tl::unexpected(std::move(problem));
        }
        if (file == files_.files_.end()) return lead_to_page(head.target);
        return send(file->second, head);
    }

    // The target as it was sent: percent-encoded, so it ends no header line.
    static Response lead_to_page(std::string_view target) {
        Response response;
        response.status = 302;
        response.with("Location", "/#" + std::string(target.substr(0, target.find('?'))))
            .with("Cache-Control", "no-cache");
        return response;
    }

    static Response send(const StaticFiles::File& file, const Request& head) {
        Response response;
        response.with("ETag", file.etag)
            .with("Vary", "Accept-Encoding")
            .with("Content-Security-Policy", std::string(kPolicy))
            .with("Cache-Control",
                  file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
        if (head.header("If-None-Match") == std::string_view(file.etag)) {
            response.status = 304;
            return response;
        }
        response.with("Content-Type", file.media_type);
        if (!file.compressed.empty() &&
            accepts_encoding(head.header("Accept-Encoding").value_or(""), "gzip")) {
            response.with("Content-Encoding", "gzip");
            response.document = file.compressed;
        } else {
            response.document = file.content;
        }
        return response;
    }

    const StaticFiles& files_;
};

Result<StaticFiles> StaticFiles::load(const fs::path& folder) {
    StaticFiles result;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; entry != end;
         entry.increment(error)) {
        if (error) break;
        const auto& path = entry->path();
        if (!entry->is_regular_file() || path.extension() == ".gz") continue;
        File file;
        file.content = read_whole(path);
        file.compressed = read_whole(path.string() + ".gz");
        file.media_type = media_type_of(path);
        file.etag = content_etag(file.content);
        const auto name = '/' + fs::relative(path, folder).generic_string();
        file.immutable = name.starts_with("/assets/");
        result.files_.emplace(name, std::move(file));
    }
    if (!result.files_.contains("/index.html")) {
        return fail(Errc::not_found, "The web pages are not built: there is no index.html.",
                    folder.string());
    }
    return result;
}

std::unique_ptr<Exchange> StaticFiles::exchange() {
    return std::make_unique<StaticExchange>(*this);
}

// Which of the two a request is for is known with its head.
class SiteExchange final : public Exchange {
  public:
    explicit SiteExchange(Site& site) : site_(site) {}

    awaitable<std::optional<Response>> admit(const Request& head) override {
        const bool page = site_.pages_ && !site_.api_.serves(head.target);
        chosen_ = page ? site_.pages_->exchange() : site_.api_.exchange();
        co_return co_await chosen_->admit(head);
    }
    std::size_t body_limit() const override { return chosen_->body_limit(); }
    bool takes_stream() const override { return chosen_->takes_stream(); }
    awaitable<Response> answer(const Request& request, BodySource* stream) override {
        co_return co_await chosen_->answer(request, stream);
    }

    FairBudget::Holder holder(const Request& head) const override { return chosen_->holder(head); }
    Subject subject() const override { return chosen_ ? chosen_->subject() : Subject{}; }

  private:
    Site& site_;
    std::unique_ptr<Exchange> chosen_;
};

std::unique_ptr<Exchange> Site::exchange() { return std::make_unique<SiteExchange>(*this); }

}  // namespace plimsoll::http
