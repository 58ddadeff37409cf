#pragma once

#include "server/identity/audit_store.hpp"
#include "server/teams/idempotency_store.hpp"
#include "server/teams/report_link_store.hpp"
#include "server/teams/team_record_store.hpp"
#include "server/webhooks/store.hpp"
#include "tests/fakes/fake_identity.hpp"
#include "tests/fakes/fake_job_store.hpp"
#include "tests/fakes/stale.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>

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

// Kept answers in memory; they do not expire.
class FakeIdempotency final : public teams::IdempotencyStore {
  public:
    Answer<std::optional<teams::StoredResponse>> reserve(TeamId team, std::string key,
                                                         std::string fingerprint) override {
        const auto [entry, is_new] = kept_.try_emplace({team, key}, Entry{fingerprint, {}});
        if (is_new) co_return std::nullopt;
        if (entry->second.fingerprint != fingerprint) co_return fail(Errc::conflict, "Another.");
        if (!entry->second.answer) co_return fail(Errc::cancelled, "Not yet.");
        co_return entry->second.answer;
    }
    Answer<void> keep(TeamId team, std::string key, teams::StoredResponse answer) override {
        kept_.at({team, key}).answer = std::move(answer);
        co_return Result<void>{};
    }
    Answer<void> release(TeamId team, std::string key) override {
        kept_.erase({team, key});
        co_return Result<void>{};
    }

    // As if every server had stopped in the middle of a call.
    void forget_answers() {
        for (auto& [key, entry] : kept_) entry.answer.reset();
    }

  private:
    struct Entry {
        std::string fingerprint;
        std::optional<teams::StoredResponse> answer;
    };
    std::map<std::pair<TeamId, std::string>, Entry> kept_;
};

// No report links: they are tested on the real database.
class FakeReportLinks final : public teams::ReportLinkStore {
  public:
    Answer<std::vector<teams::ReportLink>> list(TeamId, std::optional<JobId>,
                                                std::optional<teams::ReportLinkId>, int) override {
        co_return std::vector<teams::ReportLink>{};
    }
    Answer<teams::ReportLink> create(Author, teams::NewReportLink) override {
        co_return fail(Errc::unavailable, "The fake makes no links.");
    }
    Answer<void> revoke(Author, teams::ReportLinkId) override {
        co_return fail(Errc::not_found, "The report link was not found.");
    }
    Answer<teams::LinkedReport> open(std::string) override { co_return nothing(); }
    Answer<std::vector<queue::ChunkInfo>> chunks(std::string) override { co_return nothing(); }
    Answer<std::string> chunk(std::string, int) override { co_return nothing(); }

  private:
    static tl::unexpected<Error> nothing() { return fail(Errc::not_found, "No link."); }
};

// Webhooks in memory; nothing is sent. For one thread.
class FakeWebhooks final : public webhooks::WebhookStore {
  public:
    template <class T>
    using Answer = webhooks::awaitable<Result<T>>;

    // Outlives this.
    explicit FakeWebhooks(const FakeIdentity& identity) : identity_(identity) {}

    Answer<std::vector<webhooks::Webhook>> list(TeamId team) override {
        std::vector<webhooks::Webhook> found;
        for (const auto& one : stored_) {
            if (one.team == team) found.push_back(one.webhook);
        }
        co_return found;
    }
    Answer<webhooks::Webhook> create(Author author, webhooks::Webhook webhook,
                                     std::string secret) override {
        if (std::ranges::count(stored_, author.team, &Stored::team) >= webhooks::kWebhooksPerTeam) {
            co_return fail(Errc::conflict, "Too many.");
        }
        webhook.id = {next_++};
        webhook.created_at = SystemClock().now();
        last_secret = std::move(secret);
        stored_.push_back({author.team, webhook, {}});
        stored_.back().webhook.user = author.user;
        stored_.back().webhook.user_name = identity_.name_of(author.user);
        co_return webhook;
    }
    Answer<webhooks::Webhook> update(Author author, webhooks::WebhookId id, std::string name,
                                     std::string url) override {
        auto* stored = find(author.team, id);
        if (stored == nullptr) co_return missing();
        if (stale(author, {{"name", stored->webhook.name}, {"url", stored->webhook.url}})) {
            co_return fail(changed_meanwhile());
        }
        if (!name.empty()) stored->webhook.name = std::move(name);
        if (!url.empty()) stored->webhook.url = std::move(url);
        co_return stored->webhook;
    }
    Answer<void> remove(Author author, webhooks::WebhookId id) override {
        const auto gone = std::erase_if(stored_, [&](const Stored& one) {
            return one.team == author.team && one.webhook.id == id;
        });
        if (gone == 0) co_return missing();
        co_return Result<void>{};
    }
    Answer<std::vector<webhooks::Delivery>> deliveries(TeamId team, webhooks::WebhookId id,
                                                       std::optional<webhooks::DeliveryId> before,
                                                       int limit) override {
        const auto* webhook = find(team, id);
        if (webhook == nullptr) co_return missing();
        std::vector<webhooks::Delivery> page;
        for (auto one = webhook->sent.rbegin(); one != webhook->sent.rend(); ++one) {
            if (before && one->id >= *before) continue;
            if (static_cast<int>(page.size()) < limit) page.push_back(*one);
        }
        co_return page;
    }
    Answer<webhooks::Delivery> send_test(Author author, webhooks::WebhookId id) override {
        auto* webhook = find(author.team, id);
        if (webhook == nullptr) co_return missing();
        webhooks::Delivery delivery;
        delivery.id = {next_++};
        delivery.type = "webhook.test";
        delivery.state = "pending";
        delivery.created_at = SystemClock().now();
        delivery.next_at = delivery.created_at;
        webhook->sent.push_back(delivery);
        co_return delivery;
    }

    std::string last_secret;

  private:
    struct Stored {
        TeamId team;
        webhooks::Webhook webhook;
        std::vector<webhooks::Delivery> sent;
    };
    static tl::unexpected<Error> missing() {
        return fail(Errc::not_found, "The webhook was not found.");
    }
    Stored* find(TeamId team, webhooks::WebhookId id) {
        const auto found = std::ranges::find_if(
            stored_, [&](const Stored& one) { return one.team == team && one.webhook.id == id; });
        return found == stored_.end() ? nullptr : &*found;
    }

    const FakeIdentity& identity_;
    std::vector<Stored> stored_;
    std::int64_t next_ = 1;
};

// Records of teams and members, in memory. For one thread.
class FakeTeamRecords final : public teams::TeamRecordStore {
  public:
    template <class T>
    using Answer = teams::awaitable<Result<T>>;

    FakeTeamRecords() = default;
    // For collections with origins. Both outlive this.
    FakeTeamRecords(const FakeIdentity& identity, const FakeJobStore& jobs)
        : identity_(&identity), jobs_(&jobs) {}

    Answer<std::vector<jobs::TeamRecord>> list(jobs::Collection collection, TeamId team,
                                               teams::RecordFilter filter) override {
        std::vector<jobs::TeamRecord> found;
        for (const auto& one : stored_) {
            const auto& record = one.record;
            if (one.place != place_of(collection, team, filter.member)) continue;
            if (filter.job && record.job != filter.job) continue;
            if (filter.section && record.section != *filter.section) continue;
            if (filter.name && record.name != *filter.name) continue;
            auto& shown = found.emplace_back(record);
            if (!filter.with_data) shown.data.clear();
            if (collection.has_origins && !jobs_->jobs.contains(*shown.job)) shown.job.reset();
        }
        std::ranges::sort(found, {}, [](const jobs::TeamRecord& one) {
            return std::tuple(one.name.empty() ? "" : one.section, one.name,
                              one.name.empty() ? -std::stoll(one.id) : 0);
        });
        const auto limit = static_cast<std::size_t>(filter.limit.value_or(collection.most));
        if (found.size() > limit) found.resize(limit);
        co_return found;
    }
    Answer<jobs::TeamRecord> put(jobs::Collection collection, Author author,
                                 jobs::TeamRecord record) override {
        const auto place = place_of(collection, author.team, author.user);
        const auto there = std::ranges::find_if(stored_, [&](const Stored& one) {
            return one.place == place && !record.name.empty() && one.record.name == record.name &&
                   one.record.section == record.section;
        });
        const bool is_there = there != stored_.end();
        if (stale(author, is_there ? nlohmann::json::parse(there->record.data) : nlohmann::json()))
            co_return fail(changed_meanwhile());
        if (!is_there && std::ranges::count(stored_, place, &Stored::place) >= collection.most) {
            if (!record.name.empty()) co_return fail(Errc::conflict, "Too many.");
            stored_.erase(std::ranges::find(stored_, place, &Stored::place));
        }
        record.updated_at = SystemClock().now();
        record.created_at = is_there ? there->record.created_at : record.updated_at;
        if (identity_ != nullptr) record.author = identity_->name_of(author.user);
        record.id = collection.is_named ? record.name
                    : is_there          ? there->record.id
                                        : std::to_string(next_++);
        if (is_there) {
            there->record = record;
        } else {
            stored_.push_back({place, record});
        }
        co_return record;
    }
    Answer<void> remove(jobs::Collection collection, Author author, std::string id) override {
        const auto gone = std::erase_if(stored_, [&](const Stored& one) {
            return one.place == place_of(collection, author.team, author.user) &&
                   one.record.id == id;
        });
        if (gone == 0) {
            co_return fail(Errc::not_found,
                           "The " + std::string(collection.singular) + " was not found.");
        }
        co_return Result<void>{};
    }

  private:
    using Place = std::tuple<std::string, TeamId, std::optional<UserId>>;
    struct Stored {
        Place place;
        jobs::TeamRecord record;
    };

    static Place place_of(jobs::Collection collection, TeamId team, std::optional<UserId> member) {
        if (!collection.of_members) member.reset();
        return {std::string(collection.name), team, member};
    }

    const FakeIdentity* identity_ = nullptr;
    const FakeJobStore* jobs_ = nullptr;
    std::vector<Stored> stored_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
