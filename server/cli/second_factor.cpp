#include "server/cli/resource.hpp"
#include "server/terminal/read_password.hpp"

#include <utility>

namespace plimsoll::cli {
namespace {

constexpr const char* kSecondFactor = "/v1/users/me/second-factor";

struct SecondFactorOptions {
    std::string password_file;
    std::string code;
};

void show_factor(const CommandContext& context) {
    auto api = need(client::signed_in());
    const auto state = need(api.get_json(kSecondFactor));
    if (context.json) {
        context.terminal.line(state.dump(2));
    } else if (state.value("is_set", false)) {
        context.terminal.line("Added " + terminal::text_of(state, "confirmed_at") + "; " +
                              std::to_string(state.value("recovery_codes_left", 0)) +
                              " recovery codes are left.");
    } else {
        context.terminal.line("You have no second factor: plimsoll second-factor add");
    }
}

void add_factor(const CommandContext& context, const SecondFactorOptions& options) {
    auto api = need(client::signed_in());
    auto password = need(terminal::read_password(options.password_file, "Current password"));
    const auto offer =
        need(api.put_json(kSecondFactor, {{"present_password", std::move(password)}}));
    if (context.json) return context.terminal.line(offer.dump(2));
    context.terminal.line("Secret  " + terminal::text_of(offer, "secret"));
    context.terminal.line("URI     " + terminal::text_of(offer, "uri"));
    context.terminal.note(
        "Enter the secret in your authenticator app, then run `plimsoll second-factor confirm "
        "CODE` with the code that it shows.");
}

void confirm_factor(const CommandContext& context, const SecondFactorOptions& options) {
    auto api = need(client::signed_in());
    const auto made =
        need(api.put_json(std::string(kSecondFactor) + "/confirmation", {{"code", options.code}}));
    if (context.json) return context.terminal.line(made.dump(2));
    for (const auto& code : made.at("recovery_codes"))
        context.terminal.line(code.get<std::string>());
    context.terminal.note(
        "Store these recovery codes now; they are not shown again. Each works once in place of a "
        "code, if you lose your device.");
}

void remove_factor(const CommandContext& context, const SecondFactorOptions& options) {
    auto api = need(client::signed_in());
    need(api.post_json(std::string(kSecondFactor) + "/removal", {{"code", options.code}}));
    context.terminal.line(context.json ? json{{"is_set", false}}.dump(2)
                                       : "The second factor has been removed.");
}

}  // namespace

void add_second_factor(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<SecondFactorOptions>();
    auto* command = add_resource(app, "second-factor",
                                 "Protect password sign-in with codes from an authenticator app");
    command->add_subcommand("show", "Show whether you have a second factor")->callback([&context] {
        show_factor(context);
    });
    auto* add = command->add_subcommand("add", "Print a secret for an authenticator app");
    add->add_option("--password-file", options->password_file,
                    "File whose first line is your current password; -: standard input");
    add->callback([&context, options] { add_factor(context, *options); });
    auto* confirm = command->add_subcommand(
        "confirm", "Require codes from now on, and print recovery codes once");
    confirm->add_option("code", options->code, "The code that the app shows")->required();
    confirm->callback([&context, options] { confirm_factor(context, *options); });
    auto* remove = command->add_subcommand("remove", "Stop requiring codes");
    remove->add_option("code", options->code, "The code that the app shows, or a recovery code")
        ->required();
    remove->callback([&context, options] { remove_factor(context, *options); });
}

}  // namespace plimsoll::cli
