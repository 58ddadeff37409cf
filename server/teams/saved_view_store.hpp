#pragma once

#include "engine/base/result.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

// Filters of a page that a member saved under a name. They belong to the member and one team;
// another member's is Errc::not_found, like a missing one. Implemented by server/postgres.
namespace plimsoll::teams {

using SavedViewId = Id<struct SavedViewTag>;

inline std::string to_public(SavedViewId id) {
    return public_id("view", id.value);
}

constexpr int kSavedViewsPerMember = 100;

struct SavedView {
    SavedViewId id;
    std::string page;   // the page
    std::string name;   // unique among the member's views of the page
    std::string query;  // in the page's own format, as in its address
    Timestamp created_at;
};

class SavedViewStore {
  public:
    virtual ~SavedViewStore() = default;

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    // By page and name.
    virtual Answer<std::vector<SavedView>> list(TeamId team, UserId user) = 0;
    // Replaces the view of its page and name. Errc::conflict if the member has kSavedViewsPerMember
    // others.
    virtual Answer<SavedView> put(TeamId team, UserId user, SavedView view) = 0;
    virtual Answer<void> remove(TeamId team, UserId user, SavedViewId id) = 0;
};

}  // namespace plimsoll::teams
