#include "server/postgres/jobs/share_rows.hpp"

#include "engine/base/json.hpp"
#include "server/postgres/driver/statement.hpp"

namespace plimsoll::postgres {

queue::Share to_share(const Row& row) {
    queue::Share share;
    share.team = row.get<TeamId>("team_id");
    share.team_name = row.get<std::string>("team_name");
    share.device_class = row.get<std::string>("device_class");
    share.terms.weight = row.get<double>("weight");
    share.terms.cap = row.get<Maybe<int>>("cap");
    if (const auto seconds = row.get<Maybe<double>>("quota_seconds"))
        share.terms.quota = {*seconds, row.get<std::string>("quota_period")};
    share.slots = row.get<int>("slots");
    share.ready = row.get<std::int64_t>("ready");
    share.used_seconds = row.get<double>("used_seconds");
    share.used_share = row.get<double>("used_share");
    share.fair_share = row.get<double>("due_share");
    share.quota_used = row.get<double>("quota_used");
    share.quota_renews_at = row.get<Maybe<Timestamp>>("quota_renews_at");
    share.quota_exhausted = row.get<bool>("quota_spent");
    share.paused = row.get<bool>("paused");
    return share;
}

queue::TeamLimit to_team_limit(const Row& row) {
    return {row.get<TeamId>("team_id"),
            {row.get<Maybe<int>>("queued_jobs"), row.get<Maybe<int>>("jobs_per_minute")},
            row.get<std::int64_t>("queued")};
}

queue::Hold to_hold(const Row& row) {
    queue::Hold hold;
    hold.id = row.get<std::int64_t>("id");
    hold.scope = row.get<std::string>("scope");
    hold.subject = row.get<std::string>("subject");
    hold.team_name = row.get<Maybe<std::string>>("team_name").value_or("");
    hold.node = row.get<Maybe<std::string>>("node").value_or("");
    hold.device = row.get<Maybe<std::string>>("device").value_or("");
    hold.mode = row.get<std::string>("mode");
    hold.reason = row.get<std::string>("reason");
    hold.by_admin = row.get<bool>("by_admin");
    hold.by_name = row.get<Maybe<std::string>>("by_name").value_or("");
    hold.at = row.get<Timestamp>("at");
    hold.running = row.get<std::int64_t>("running");
    return hold;
}

queue::ClassOverview to_class_overview(const Row& row) {
    return {row.get<std::string>("device_class"),   row.get<double>("half_life_seconds"),
            row.get<double>("entry_limit_seconds"), row.get<std::int64_t>("devices"),
            row.get<std::int64_t>("ready"),         row.get<std::int64_t>("running"),
            row.get<std::int64_t>("waiting")};
}

queue::Share share_of_json(std::string_view text) {
    const json told = json::parse(text);
    queue::Share share;
    share.team = TeamId{told.at("team_id").get<std::int64_t>()};
    share.team_name = told.at("team_name").get<std::string>();
    share.device_class = told.at("device_class").get<std::string>();
    share.terms.weight = told.at("weight").get<double>();
    if (!told.at("cap").is_null()) share.terms.cap = told["cap"].get<int>();
    if (!told.at("quota_seconds").is_null()) {
        share.terms.quota = {told["quota_seconds"].get<double>(),
                             told.at("quota_period").get<std::string>()};
        share.quota_renews_at = parse_rfc3339(told.at("quota_renews_at"));
    }
    share.slots = told.at("slots").get<int>();
    share.ready = told.at("ready").get<std::int64_t>();
    share.used_seconds = told.at("used_seconds").get<double>();
    share.used_share = told.at("used_share").get<double>();
    share.fair_share = told.at("due_share").get<double>();
    share.quota_used = told.at("quota_used").get<double>();
    share.quota_exhausted = told.at("quota_spent").get<bool>();
    share.paused = told.at("paused").get<bool>();
    return share;
}

queue::Hold hold_of_json(std::string_view text) {
    const json told = json::parse(text);
    queue::Hold hold;
    hold.scope = told.at("scope").get<std::string>();
    hold.mode = told.at("mode").get<std::string>();
    hold.reason = told.at("reason").get<std::string>();
    if (!told.at("by").is_null()) hold.by_name = told["by"].get<std::string>();
    hold.at = parse_rfc3339(told.at("at")).value_or(Timestamp{});
    return hold;
}

queue::OverQuota to_over_quota(std::string_view refusal) {
    const json told = json::parse(refusal);
    queue::OverQuota over;
    over.quota = told.at("quota").get<std::string>();
    over.used = told.at("used").get<double>();
    over.limit = told.at("limit").get<double>();
    over.needed = told.value("needed", 0.0);
    over.device_class = told.value("device_class", "");
    over.period = told.value("period", "");
    if (told.contains("renews_at")) over.renews_at = parse_rfc3339(told["renews_at"]);
    return over;
}

queue::VacuumHolder to_vacuum_holder(const Row& row) {
    return {row.get<std::string>("holder"), row.get<std::string>("detail"),
            row.get<Timestamp>("since"), row.get<double>("seconds")};
}

queue::Usage to_usage(const Row& row) {
    queue::Usage usage;
    usage.start = row.get<Maybe<Timestamp>>("start");
    usage.team = row.get<Maybe<TeamId>>("team_id");
    usage.team_name = row.get<Maybe<std::string>>("team_name").value_or("");
    usage.user = row.get<Maybe<UserId>>("user_id");
    usage.user_name = row.get<Maybe<std::string>>("user_name").value_or("");
    usage.kind = row.get<Maybe<std::string>>("kind").value_or("");
    usage.model = row.get<Maybe<std::string>>("model").value_or("");
    usage.device_seconds = row.get<double>("seconds");
    usage.tasks = row.get<std::int64_t>("tasks");
    usage.items = row.get<std::int64_t>("items");
    usage.jobs = row.get<std::int64_t>("jobs");
    return usage;
}

}  // namespace plimsoll::postgres
