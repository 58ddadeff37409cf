#pragma once

#include "engine/base/result.hpp"
#include "server/http/api/api.hpp"
#include "server/http/messages/application.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace plimsoll::http {

// The built web UI, read into memory once at startup (a few hundred kilobytes), so that requests
// need no file access. `/` is index.html. A file with a sibling ".gz" is sent compressed to clients
// that accept it. Files under /assets have their hash in their name and are cached indefinitely.
// /docs/… redirects to the documentation page /#/docs/….
class StaticFiles final : public Application {
  public:
    // Errc::not_found names the folder if it has no index.html.
    static Result<StaticFiles> load(const std::filesystem::path& folder);

    std::unique_ptr<Exchange> exchange() override;

  private:
    friend class StaticExchange;

    struct File {
        std::string content;
        std::string compressed;  // empty: there is none
        std::string media_type;
        std::string etag;
        bool immutable = false;
    };
    std::map<std::string, File, std::less<>> files_;  // by path: "/assets/index-1a2b.js"
};

// Serves the API and, if present, the web pages.
class Site final : public Application {
  public:
    Site(Api& api, std::optional<StaticFiles> pages) : api_(api), pages_(std::move(pages)) {}

    std::unique_ptr<Exchange> exchange() override;
    void memory_freed() override { api_.memory_freed(); }

  private:
    friend class SiteExchange;

    Api& api_;
    std::optional<StaticFiles> pages_;
};

}  // namespace plimsoll::http
