#pragma once

#include "server/http/api/api.hpp"
#include "server/http/site/static_files.hpp"

#include <optional>

namespace plimsoll::http {

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
