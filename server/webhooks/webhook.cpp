#include "server/webhooks/webhook.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::webhooks {
namespace {

using Json = nlohmann::ordered_json;

Json job_of(const Outgoing& notice) {
    auto job = Json::parse(notice.data, nullptr, false);
    return job.is_object() ? job : Json::object();
}

Json signed_json(const Outgoing& notice) {
    auto data = job_of(notice);
    if (notice.job) {
        const auto id = plimsoll::to_public(*notice.job);
        const auto self = "/v1/jobs/" + id;
        data["id"] = id;
        data["links"] = {
            {"self", self}, {"report", self + "/report"}, {"results", self + "/results"}};
    }
    return {{"type", notice.type},
            {"timestamp", to_rfc3339(notice.created_at)},
            {"data", std::move(data)}};
}

// Slack's three control characters: a name mentions nobody, and is no link.
std::string without_markup(const std::string& text) {
    std::string plain;
    for (const char c : text)
        plain += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return plain;
}

Json slack_json(const Message& message) {
    auto text = without_markup(message.text);
    if (!message.link.empty()) text += " <" + message.link + "|Open the job>";
    return {{"text", std::move(text)}};
}

// An adaptive card, whose text runs have no markup.
Json teams_json(const Message& message) {
    Json card = {
        {"$schema", "http://adaptivecards.io/schemas/adaptive-card.json"},
        {"type", "AdaptiveCard"},
        {"version", "1.4"},
        {"body", Json::array({{{"type", "RichTextBlock"},
                               {"inlines",
                                Json::array({{{"type", "TextRun"}, {"text", message.text}}})}}})}};
    if (!message.link.empty())
        card["actions"] = Json::array(
            {{{"type", "Action.OpenUrl"}, {"title", "Open the job"}, {"url", message.link}}});
    return {
        {"type", "message"},
        {"attachments", Json::array({{{"contentType", "application/vnd.microsoft.card.adaptive"},
                                      {"content", std::move(card)}}})}};
}

}  // namespace

std::optional<std::chrono::milliseconds> pause_after(int attempt, double chance) {
    using namespace std::chrono_literals;
    constexpr std::array<std::chrono::milliseconds, kMaxAttempts - 1> kPauses = {
        2s, 15s, 1min, 5min, 30min, 2h, 8h};
    if (attempt < 1 || attempt >= kMaxAttempts) return std::nullopt;
    const auto pause = kPauses[static_cast<std::size_t>(attempt - 1)];
    return std::chrono::duration_cast<std::chrono::milliseconds>(pause * (1 + chance / 4));
}

Message message_of(const Outgoing& notice, const std::string& pages) {
    if (!notice.job)
        return {"Plimsoll: test notice", "A test notice of Plimsoll: notices arrive here.", ""};
    const auto job = job_of(notice);
    const auto kind = job.value("kind", "");
    const auto state = job.value("state", "");
    const auto id = plimsoll::to_public(*notice.job);
    const auto named = job.find("name");
    const bool has_name = named != job.end() && named->is_string();
    Message message{"Plimsoll: " + kind + " job " + state,
                    (has_name ? named->get<std::string>() : id) + " (" + kind + ") " +
                        (state == "cancelled" ? "was cancelled" : state),
                    pages.empty() ? "" : pages + "/#/jobs/" + id};
    if (const auto failed = job.value("items_failed", std::int64_t{0}); failed > 0)
        message.text += ": " + std::to_string(failed) + " of " +
                        std::to_string(job.value("items_total", std::int64_t{0})) + " items failed";
    message.text += '.';
    return message;
}

std::string body_of(const Outgoing& notice, const std::string& pages) {
    const Json body = notice.format == "slack"   ? slack_json(message_of(notice, pages))
                      : notice.format == "teams" ? teams_json(message_of(notice, pages))
                                                 : signed_json(notice);
    return body.dump();
}

}  // namespace plimsoll::webhooks
