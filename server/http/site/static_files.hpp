#pragma once

#include "engine/base/result.hpp"
#include "server/http/messages/application.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace plimsoll::http {

// The built web UI, read into memory once at the start: a few hundred kilobytes, and no file access
// while requests are served. `/` is index.html; a file with a neighbour of the same name and ".gz"
// is sent compressed to whoever takes it. Files under /assets carry their hash in their name and
// may be kept for ever.
class StaticFiles final : public Application {
  public:
    // Without an index.html: Errc::not_found that names the folder.
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

}  // namespace plimsoll::http
