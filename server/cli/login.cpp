#include "server/cli/rest_commands.hpp"
#include "server/client/credentials.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::client {
namespace {

constexpr std::string_view kFragment = "/#/sign-in/";

std::string host_name() {
    char name[256] = "this machine";
    gethostname(name, sizeof name - 1);
    return name;
}

// Only characters that a token's name may have.
std::string token_name() {
    std::string name = "command line on " + host_name();
    for (auto& c : name) {
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != ' ' && c != '.' && c != '-')
            c = '-';
    }
    return name.substr(0, 64);
}

// The one-time link becomes a session, the session makes a token of its own, and ends.
Result<Credentials> spend_link(const std::string& server, const std::string& secret) {
    ApiClient api(server, "");
    auto reply = api.send("POST", "/v1/sessions", nlohmann::json{{"sign_in_token", secret}}.dump());
    if (!reply) return fail(reply.error());
    const auto session = nlohmann::json::parse(reply->body, nullptr, false);
    if (!session.is_object()) return fail(Errc::corrupt, "The server's answer is not JSON.");
    const auto& cookie = reply->headers["set-cookie"];
    const Headers headers = {{"cookie", cookie.substr(0, cookie.find(';'))},
                             {"x-csrf-token", session.value("csrf_token", "")}};
    auto created = api.post_json(
        "/v1/tokens", {{"name", token_name()}, {"scopes", session.at("scopes")}}, headers);
    if (!created) return fail(created.error());
    if (auto ended = api.send("DELETE", "/v1/sessions/current", {}, headers); !ended)
        return fail(ended.error());
    return Credentials{server, created->at("secret").get<std::string>()};
}

}  // namespace

int login(const Session& session, const LoginOptions& options) {
    Credentials credentials{options.server, options.token};
    if (!options.link.empty()) {
        const auto at = options.link.find(kFragment);
        if (at == std::string::npos) {
            return report_error(
                session, {Errc::invalid_input,
                          "A sign-in link looks like http://host:port/#/sign-in/plm_signin_….",
                          {}});
        }
        auto spent =
            spend_link(options.link.substr(0, at), options.link.substr(at + kFragment.size()));
        if (!spent) return report_error(session, spent.error());
        credentials = *spent;
    }
    ApiClient api(credentials.server, credentials.token);
    auto me = api.get_json("/v1/users/me");
    if (!me) return report_error(session, me.error());
    if (auto saved = save_credentials(credentials); !saved)
        return report_error(session, saved.error());
    session.terminal.line("Signed in to " + credentials.server + " as " +
                          me->at("user").value("name", "") + ", team " +
                          me->at("team").value("name", "") + ".");
    return 0;
}

int whoami(const Session& session) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto me = api->get_json("/v1/users/me");
    if (!me) return report_error(session, me.error());
    if (session.json) {
        session.terminal.line(me->dump(2));
    } else {
        session.terminal.line(me->at("user").value("name", "") + ", " + me->value("role", "") +
                              " of team " + me->at("team").value("name", "") + " at " +
                              api->server());
    }
    return 0;
}

}  // namespace plimsoll::client
