#include "server/postgres/teams/saved_view_store.hpp"

#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using boost::asio::awaitable;
using teams::SavedView;

namespace {

SavedView to_view(const Row& row) {
    return {teams::SavedViewId{row.get<std::int64_t>("id")}, row.get<std::string>("page"),
            row.get<std::string>("name"), row.get<std::string>("query"),
            row.get<Timestamp>("created_at")};
}

}  // namespace

awaitable<Result<Replies>> SavedViewStore::run(TeamId team, Statement statement) {
    Batch batch;
    batch.push_back(in_team(team));
    batch.push_back(std::move(statement));
    co_return co_await pool_.run(std::move(batch), kCallTimeout);
}

awaitable<Result<std::vector<SavedView>>> SavedViewStore::list(TeamId team, UserId user) {
    auto replies = co_await run(team, Statement::of(sql::saved_views_list, team.value, user.value));
    if (!replies) co_return fail(std::move(replies.error()));
    std::vector<SavedView> views;
    for (const Row row : replies->back()) views.push_back(to_view(row));
    co_return views;
}

awaitable<Result<SavedView>> SavedViewStore::put(TeamId team, UserId user, SavedView view) {
    auto replies =
        co_await run(team, Statement::of(sql::saved_views_put, team.value, user.value,
                                         std::move(view.page), std::move(view.name),
                                         std::move(view.query), teams::kSavedViewsPerMember));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) {
        co_return fail(Errc::conflict, "You have " + std::to_string(teams::kSavedViewsPerMember) +
                                           " other saved views, the maximum. Delete one first.");
    }
    co_return to_view(replies->back()[0]);
}

awaitable<Result<void>> SavedViewStore::remove(TeamId team, UserId user, teams::SavedViewId id) {
    auto replies = co_await run(team, Statement::of(sql::saved_views_delete, id.value, user.value));
    if (!replies) co_return fail(std::move(replies.error()));
    if (replies->back().empty()) co_return fail(Errc::not_found, "The saved view was not found.");
    co_return Result<void>{};
}

}  // namespace plimsoll::postgres
