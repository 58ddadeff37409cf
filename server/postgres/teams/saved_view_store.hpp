#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/teams/saved_view_store.hpp"

namespace plimsoll::postgres {

class SavedViewStore final : public teams::SavedViewStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit SavedViewStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<teams::SavedView>> list(TeamId team, UserId user) override;
    Answer<teams::SavedView> put(TeamId team, UserId user, teams::SavedView view) override;
    Answer<void> remove(TeamId team, UserId user, teams::SavedViewId id) override;

  private:
    boost::asio::awaitable<Result<Replies>> run(TeamId team, Statement statement);

    Pool& pool_;
};

}  // namespace plimsoll::postgres
