#pragma once

#include "server/identity/audit_store.hpp"

#include <algorithm>

namespace plimsoll::fakes {

// Audit events in memory, added by the test.
class FakeAudit final : public identity::AuditStore {
  public:
    boost::asio::awaitable<Result<std::vector<identity::AuditEvent>>> list(
        identity::AuditQuery query) override {
        std::vector<identity::AuditEvent> found;
        for (auto one = events.rbegin(); one != events.rend(); ++one) {
            if (static_cast<int>(found.size()) < query.limit && fits(*one, query)) {
                found.push_back(*one);
            }
        }
        co_return found;
    }

    boost::asio::awaitable<Result<void>> record(Author author, std::string action,
                                                std::string target, std::string data) override {
        auto& event = events.emplace_back();
        event.id = identity::AuditEventId{static_cast<std::int64_t>(events.size())};
        event.team = author.team;
        event.user = author.user;
        event.action = std::move(action);
        event.target = std::move(target);
        event.request_id = author.request_id;
        event.data = std::move(data);
        co_return Result<void>{};
    }

    std::vector<identity::AuditEvent> events;  // oldest first

  private:
    static bool fits(const identity::AuditEvent& event, const identity::AuditQuery& query) {
        const auto noun = event.action.substr(0, event.action.find('.'));
        return (!query.team || event.team == query.team) &&
               (!query.before || event.id < *query.before) &&
               (query.action.empty() || query.action == event.action || query.action == noun) &&
               (query.nouns.empty() || std::ranges::count(query.nouns, noun) > 0) &&
               (!query.user || event.user == query.user) &&
               (query.target.empty() || event.target == query.target) &&
               (!query.from || event.at >= *query.from) &&
               (!query.until || event.at < *query.until);
    }
};

}  // namespace plimsoll::fakes
