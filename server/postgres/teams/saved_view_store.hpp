#pragma once

#include "server/identity/saved_view_store.hpp"
#include "server/postgres/pool/pool.hpp"

namespace plimsoll::postgres {

class SavedViewStore final : public identity::SavedViewStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit SavedViewStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<identity::SavedView>> list(TeamId team, UserId user) override;
    Answer<identity::SavedView> put(TeamId team, UserId user, identity::SavedView view) override;
    Answer<void> remove(TeamId team, UserId user, identity::SavedViewId id) override;

  private:
    boost::asio::awaitable<Result<Replies>> run(TeamId team, Statement statement);

    Pool& pool_;
};

}  // namespace plimsoll::postgres
