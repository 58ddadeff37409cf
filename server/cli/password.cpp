#include "server/cli/resource.hpp"
#include "server/client/credentials.hpp"
#include "server/terminal/read_password.hpp"

#include <utility>

namespace plimsoll::cli {
namespace {

struct PasswordOptions {
    std::string link;  // http://host:port/#/set-password/plm_password_…
    std::string new_file;
    std::string present_file;
    bool end_tokens = false;
};

constexpr std::string_view kLinkMark = "/#/set-password/";

// Typed twice on a terminal, since it cannot be seen.
Result<std::string> new_password(const std::string& file) {
    auto password = terminal::read_password(file, "New password");
    if (!password || !file.empty()) return password;
    TRY(const auto again, terminal::ask_password("Confirm password"));
    if (again != *password)
        return fail(Errc::invalid_input, "The two passwords differ: nothing was changed.");
    return password;
}

// Also for users who can no longer sign in.
Result<std::string> by_link(const PasswordOptions& options) {
    const auto at = options.link.find(kLinkMark);
    if (at == std::string::npos) {
        return fail(Errc::invalid_input,
                    "A password link looks like http://host:port/#/set-password/plm_password_….");
    }
    TRY(auto origin, client::origin_of(options.link.substr(0, at)));
    if (!client::is_private(origin)) {
        return fail(Errc::invalid_input,
                    origin + " is another machine, and plain HTTP would expose the password.");
    }
    auto password = new_password(options.new_file);
    if (!password) return password;
    client::ApiClient api(origin, "");
    TRY_DO(api.post_json("/v1/passwords",
                         {{"password_token", options.link.substr(at + kLinkMark.size())},
                          {"password", std::move(*password)},
                          {"end_tokens", options.end_tokens}}));
    return origin;
}

Result<std::string> change(const PasswordOptions& options) {
    TRY(auto api, client::signed_in());
    TRY(const auto state, api.get_json("/v1/users/me/password"));
    if (!state.value("is_set", false)) {
        return fail(Errc::conflict,
                    "You have no password yet. Set the first one on the page Settings → Password, "
                    "or with a link from `plimsoll admin password-link`.");
    }
    TRY(auto present, terminal::read_password(options.present_file, "Current password"));
    auto password = new_password(options.new_file);
    if (!password) return password;
    TRY_DO(api.put_json("/v1/users/me/password", {{"present_password", std::move(present)},
                                                  {"password", std::move(*password)}}));
    return api.server();
}

void set_password(const CommandContext& context, const PasswordOptions& options) {
    const auto server = need(options.link.empty() ? change(options) : by_link(options));
    if (context.json) {
        context.terminal.line(json{{"server", server}}.dump(2));
    } else {
        context.terminal.line("The password at " + server + " has been set. Your sessions " +
                              (options.end_tokens ? "and tokens have ended."
                                                  : "have ended; your tokens keep working."));
    }
}

}  // namespace

void add_password(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<PasswordOptions>();
    auto* command = app.add_subcommand("password", "Change your password");
    auto* link = command->add_option("link", options->link,
                                     "One-time link from a system admin, for a first or a "
                                     "forgotten password");
    command->add_option("--password-file", options->new_file,
                        "File whose first line is the new password; -: standard input");
    command
        ->add_option("--present-password-file", options->present_file,
                     "File whose first line is the current password; -: standard input")
        ->excludes(link);
    command->add_flag("--end-tokens", options->end_tokens, "Revoke your tokens, too")->needs(link);
    command->callback([&context, options] { set_password(context, *options); });
}

}  // namespace plimsoll::cli
