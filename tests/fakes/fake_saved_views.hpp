#pragma once

#include "server/base/time.hpp"
#include "server/teams/saved_view_store.hpp"

#include <algorithm>

namespace plimsoll::fakes {

// Saved views in memory. For one thread.
class FakeSavedViews final : public teams::SavedViewStore {
  public:
    Answer<std::vector<teams::SavedView>> list(TeamId team, UserId user) override {
        std::vector<teams::SavedView> found;
        for (const auto& one : views_) {
            if (one.team == team && one.user == user) found.push_back(one.view);
        }
        co_return found;
    }
    Answer<teams::SavedView> put(TeamId team, UserId user, teams::SavedView view) override {
        auto one = std::ranges::find_if(views_, [&](const Stored& stored) {
            return stored.team == team && stored.user == user && stored.view.page == view.page &&
                   stored.view.name == view.name;
        });
        if (one == views_.end()) {
            view.id = {next_++};
            view.created_at = SystemClock().now();
            one = views_.insert(one, {team, user, view});
        }
        one->view.query = view.query;
        co_return one->view;
    }
    Answer<void> remove(TeamId team, UserId user, teams::SavedViewId id) override {
        const auto gone = std::erase_if(views_, [&](const Stored& one) {
            return one.team == team && one.user == user && one.view.id == id;
        });
        if (gone == 0) co_return fail(Errc::not_found, "The saved view was not found.");
        co_return Result<void>{};
    }

  private:
    struct Stored {
        TeamId team;
        UserId user;
        teams::SavedView view;
    };
    std::vector<Stored> views_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
