#include "server/identity/audit_store.hpp"

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

namespace plimsoll::postgres {

namespace {

template <class Id>
std::optional<std::int64_t> number_of(const std::optional<Id>& id) {
    return id ? std::optional(id->value) : std::nullopt;
}

std::string audit_text(const Row& row, std::string_view column) {
    return row.get<std::optional<std::string>>(column).value_or("");
}

identity::AuditEvent to_audit_event(const Row& row) {
    identity::AuditEvent event;
    event.id = row.get<identity::AuditEventId>("id");
    event.team = row.get<std::optional<TeamId>>("team_id");
    event.team_name = audit_text(row, "team_name");
    event.user = row.get<std::optional<UserId>>("user_id");
    event.user_name = audit_text(row, "user_name");
    event.at = row.get<Timestamp>("at");
    event.action = row.get<std::string>("action");
    event.target = audit_text(row, "target");
    event.request_id = audit_text(row, "request_id");
    event.address = audit_text(row, "address");
    event.data = row.get<std::string>("data");
    return event;
}

class AuditStore final : public identity::AuditStore {
  public:
    explicit AuditStore(Pool& pool) : pool_(pool) {}

    awaitable<Result<std::vector<identity::AuditEvent>>> list(identity::AuditQuery query) override {
        std::optional<std::vector<std::string>> nouns;
        if (!query.nouns.empty()) nouns = std::move(query.nouns);
        Batch batch;
        batch.push_back(query.team ? in_team(*query.team) : across_teams());
        auto list =
            Statement::of(sql::audit_list, number_of(query.before), query.limit,
                          unless_empty(std::move(query.action)), std::move(nouns),
                          number_of(query.user), query.from, query.until, number_of(query.team));
        if (!query.target.empty()) {
            list.query = sql::audit_of_target;
            list.params.emplace_back(std::move(query.target));
        }
        batch.push_back(std::move(list));
        CO_TRY(auto replies, co_await pool_.run(std::move(batch), kCallTimeout));
        std::vector<identity::AuditEvent> events;
        for (const Row row : replies.back()) events.push_back(to_audit_event(row));
        co_return events;
    }

    awaitable<Result<void>> record(Author author, std::string action, std::string target,
                                   std::string data) override {
        co_return done(
            co_await run_in(pool_, in_team(author.team),
                            Statement::of(sql::audit_record, author.team.value, author.user.value,
                                          action, target, author.request_id, data)));
    }

  private:
    Pool& pool_;
};

}  // namespace

std::unique_ptr<identity::AuditStore> make_audit_store(Pool& pool) {
    return std::make_unique<AuditStore>(pool);
}

}  // namespace plimsoll::postgres
