#include "server/cli/commands.hpp"
#include "server/client/api_client.hpp"
#include "server/client/credentials.hpp"
#include "server/terminal/command_context.hpp"

#include <cctype>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plimsoll::cli {
namespace {

struct Options {
    std::string link;    // http://host:port/#/sign-in/plm_signin_…
    std::string server;  // with `token`, instead of a link
    std::string token;
};

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
Result<client::Credentials> spend_link(const std::string& server, const std::string& secret) {
    client::ApiClient api(server, "");
    auto reply = api.send("POST", "/v1/sessions", nlohmann::json{{"sign_in_token", secret}}.dump());
    if (!reply) return fail(reply.error());
    const auto session = nlohmann::json::parse(reply->body, nullptr, false);
    if (!session.is_object()) return fail(Errc::corrupt, "The server's answer is not JSON.");
    const auto& cookie = reply->headers["set-cookie"];
    const client::Headers headers = {{"cookie", cookie.substr(0, cookie.find(';'))},
                                     {"x-csrf-token", session.value("csrf_token", "")}};
    auto created = api.post_json(
        "/v1/tokens", {{"name", token_name()}, {"scopes", session.at("scopes")}}, headers);
    if (!created) return fail(created.error());
    if (auto ended = api.send("DELETE", "/v1/sessions/current", {}, headers); !ended)
        return fail(ended.error());
    return client::Credentials{server, created->at("secret").get<std::string>()};
}

int login(const CommandContext& context, const Options& options) {
    client::Credentials credentials{options.server, options.token};
    if (!options.link.empty()) {
        const auto at = options.link.find(kFragment);
        if (at == std::string::npos) {
            return refuse(context,
                          {Errc::invalid_input,
                           "A sign-in link looks like http://host:port/#/sign-in/plm_signin_….",
                           {}});
        }
        auto spent =
            spend_link(options.link.substr(0, at), options.link.substr(at + kFragment.size()));
        if (!spent) return refuse(context, spent.error());
        credentials = *spent;
    }
    client::ApiClient api(credentials.server, credentials.token);
    auto me = api.get_json("/v1/users/me");
    if (!me) return refuse(context, me.error());
    if (auto saved = client::save_credentials(credentials); !saved)
        return refuse(context, saved.error());
    context.terminal.line("Signed in to " + credentials.server + " as " +
                          me->at("user").value("name", "") + ", team " +
                          me->at("team").value("name", "") + ".");
    return 0;
}

}  // namespace

void add_login(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("login", "Sign this command line in to a server");
    auto* link = command->add_option("link", options->link,
                                     "The one-time sign-in link that the server printed");
    auto* server =
        command->add_option("--server", options->server, "http://host:port, with --token")
            ->excludes(link);
    command->add_option("--token", options->token, "An API token")->needs(server)->excludes(link);
    command->callback([&context, options, link, server] {
        if (link->empty() && server->empty())
            throw CLI::RequiredError("link, or --server and --token");
        context.exit_code = login(context, *options);
    });
}

}  // namespace plimsoll::cli
