#include "server/worker/loop/kind_settings.hpp"

#include <utility>

namespace plimsoll::worker {

Result<jobs::KindSettings> kind_settings(std::span<const jobs::Run> kinds,
                                         std::filesystem::path cache) {
    jobs::KindSettings settings{.values = {}, .cache = std::move(cache)};
    for (const auto& kind : kinds) {
        if (auto read = jobs::read_environment(kind.settings, settings); !read) {
            return fail(read.error());
        }
    }
    return settings;
}

}  // namespace plimsoll::worker
