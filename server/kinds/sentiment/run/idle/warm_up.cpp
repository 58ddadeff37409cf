#include "server/kinds/sentiment/run/idle/warm_up.hpp"

#include "engine/models/store.hpp"
#include "server/base/log.hpp"
#include "server/kinds/sentiment/contract/policy.hpp"
#include "server/kinds/sentiment/contract/server_policy.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"

#include <algorithm>
#include <list>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

constexpr std::size_t kMostRemembered = 16;

// Most recently used first. One list per worker: one thread runs its tasks.
thread_local std::list<ResolvedPolicy> remembered;
// Models that could not be made ready, by hash and form: each is logged once.
thread_local std::set<std::pair<std::string, std::string>> told_of;

std::vector<ResolvedPolicy> policies(const KindSettings& settings, std::int64_t now) {
    std::vector<ResolvedPolicy> all(remembered.begin(), remembered.end());
    if (!follows_server_policy(settings)) return all;
    const auto models = models::Store(models_folder(settings)).list();
    const auto policy = parse_policy(server_policy(settings));
    auto resolved = policy ? resolve(std::string(kServerPolicy), *policy, models, now)
                           : tl::unexpected(policy.error());
    if (resolved) all.push_back(std::move(*resolved));
    return all;
}

// Tried again as long as it fails: memory may become free.
bool is_made_ready(const UsableModel& model, RunContext& context) {
    const auto ready = make_ready(model, context);
    const std::pair key(model.hash, model.form);
    if (ready) {
        if (*ready) {
            log::info("loaded a model before its policy switches to it",
                      {{"model", model.name}, {"form", model.form}});
        }
        told_of.erase(key);
        return true;
    }
    if (ready.error().code != Errc::cancelled && told_of.insert(key).second) {
        log::warn("cannot load a model before its policy switches to it",
                  {{"model", model.name}, {"form", model.form}, {"reason", ready.error().message}});
    }
    return false;
}

}  // namespace

void remember(ResolvedPolicy policy) {
    policy.at = 0;  // of the job
    std::erase(remembered, policy);
    remembered.push_front(std::move(policy));
    if (remembered.size() > kMostRemembered) remembered.pop_back();
}

bool warm_up(RunContext& context, Timestamp now) {
    const auto ahead = warm_up_time(context.settings);
    if (context.device == nullptr || ahead.count() == 0) return false;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    bool keeps = false;
    for (auto& policy : policies(context.settings, seconds)) {
        auto chooser = Chooser::of(std::move(policy));
        if (!chooser) continue;
        const auto models = chooser->models_to_come(seconds, seconds + ahead.count());
        if (!models) continue;
        for (const auto& model : *models) keeps |= is_made_ready(model, context);
    }
    return keeps;
}

}  // namespace plimsoll::jobs::sentiment
