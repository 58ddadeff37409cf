#include "server/cli/cli.hpp"

#include "server/app/settings.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/doctor.hpp"
#include "server/cli/queue_cli.hpp"
#include "server/cli/rest_commands.hpp"
#include "server/cli/schedule_cli.hpp"
#include "server/identity/identity.hpp"
#include "server/jobs/profile/command/profile_cli.hpp"
#include "server/jobs/training_config/command/advice.hpp"
#include "server/jobs/waves/command/waves_cli.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace plimsoll::app {
namespace {

// The server's settings as flags: --port and --host by their short names, the others by their key.
struct ServerFlags {
    std::string file;
    std::map<std::string, std::string> values;
    bool insecure = false;
    bool print = false;
    bool check = false;

    void add_to(CLI::App& command) {
        command.add_option("--config", file, "YAML file of settings")->check(CLI::ExistingFile);
        for (const auto& setting : all_settings()) {
            const std::string key(setting.key);
            std::string names = "--" + key;
            if (key == "http.host") names += ",--host";
            if (key == "http.port") names += ",--port";
            if (key == "database.data_directory") names += ",--data";
            if (key == "log.format") names += ",--log-format";
            command.add_option(names, values[key], std::string(setting.help))
                ->type_name(std::string(setting.unit))
                ->group("Settings");
        }
        command.add_flag("--insecure-http", insecure, "Same as --http.insecure true");
        command.add_flag("--print-config", print, "Print all settings and leave");
        command.add_flag("--check-config", check, "Check all settings and leave");
    }

    Result<Settings> load() const {
        std::vector<Assignment> flags;
        for (const auto& [key, value] : values) {
            if (!value.empty()) flags.push_back({key, value});
        }
        if (insecure) flags.push_back({"http.insecure", "true"});
        return load_settings(file, flags);
    }
};

int refuse(const Error& error) {
    std::fprintf(stderr, "Error: %s%s\n", error.message.c_str(),
                 error.where.empty() ? "" : (" (" + error.where + ")").c_str());
    return 2;
}

using ServerCommand = int (*)(const Settings&);

void add_server_command(CLI::App& app, const char* name, const char* help, ServerFlags& flags,
                        int& code, ServerCommand command) {
    auto* sub = app.add_subcommand(name, help);
    flags.add_to(*sub);
    sub->callback([&flags, &code, command] {
        const auto settings = flags.load();
        if (!settings) {
            code = refuse(settings.error());
        } else if (flags.print) {
            std::fputs(print_settings(*settings).c_str(), stdout);
        } else if (!flags.check) {
            code = command(*settings);
        }
    });
}

struct UserFlags {
    client::LoginOptions login;
    client::SubmitOptions submit;
    std::string job;
    client::JobListOptions list;
    std::string format = "jsonl";
    std::string file;
    client::DatasetOptions dataset;
    client::RedriveOptions redrive;
    bool all_failed = false;
    bool per_item = false;
    bool watch_devices = false;
    std::string node;
    std::string device;
};

void add_dataset_commands(CLI::App& app, client::Session& session, client::DatasetOptions& options,
                          int& code) {
    auto* datasets = app.add_subcommand("datasets", "List the team's uploaded files, newest first");
    datasets->require_subcommand(0, 1);
    datasets->callback([&session, &code, datasets] {
        if (datasets->get_subcommands().empty()) code = client::list_datasets(session);
    });
    auto* upload = datasets->add_subcommand("upload", "Upload a .csv or .jsonl file");
    upload->add_option("file", options.file, "CSV with a header line, or JSON lines")
        ->required()
        ->check(CLI::ExistingFile);
    upload->add_option("--name", options.name, "A name for people; the file's when left out");
    upload->add_option("--resume", options.resume, "The dataset whose upload goes on");
    upload->callback([&] { code = client::upload_dataset(session, options); });
    const auto on_dataset = [&](const char* name, const char* help, auto run) {
        auto* command = datasets->add_subcommand(name, help);
        command->add_option("dataset", options.id, "The dataset's id")->required();
        command->callback([&session, &options, &code, run] { code = run(session, options); });
        return command;
    };
    on_dataset("show", "Show a dataset with its first records", client::show_dataset);
    on_dataset("errors", "Print the lines that cannot be read", client::show_dataset_errors)
        ->add_option("--format", options.format, "jsonl or csv")
        ->check(CLI::IsMember({"jsonl", "csv"}));
    on_dataset("delete", "Delete a dataset with its texts", client::delete_dataset);
}

void add_user_commands(CLI::App& app, client::Session& session, UserFlags& flags, int& code) {
    auto* login = app.add_subcommand("login", "Sign this command line in to a server");
    auto* link = login->add_option("link", flags.login.link,
                                   "The one-time sign-in link that the server printed");
    auto* server =
        login->add_option("--server", flags.login.server, "http://host:port, with --token")
            ->excludes(link);
    login->add_option("--token", flags.login.token, "An API token")->needs(server)->excludes(link);
    login->callback([&, login, link, server] {
        if (link->empty() && server->empty())
            throw CLI::RequiredError("link, or --server and --token");
        code = client::login(session, flags.login);
        (void)login;
    });
    app.add_subcommand("whoami", "Show who is signed in, where and in which team")->callback([&] {
        code = client::whoami(session);
    });

    auto* submit = app.add_subcommand("submit", "Submit a job");
    submit->add_option("kind", flags.submit.kind, "Job kind, for example sentiment")->required();
    submit->add_option("file", flags.submit.file,
                       "Items as .jsonl or .csv, or complete arguments as .json; a long file is "
                       "uploaded first; - reads JSON lines from the input");
    submit->add_option("--name", flags.submit.name, "A name for people");
    submit->add_option("--label", flags.submit.labels, "key=value, repeatable");
    submit->add_option("--set", flags.submit.settings,
                       "An argument of the kind as member=value, repeatable");
    submit->add_option("--column", flags.submit.columns,
                       "Which column of the file is which member: text=headline");
    submit->add_option("--idempotency-key", flags.submit.idempotency_key,
                       "Submitting again with the same key makes no second job");
    submit->add_option("--priority", flags.submit.priority, "Among the team's jobs, high first")
        ->check(CLI::Range(-10, 10));
    submit->add_option("--run-at", flags.submit.run_at,
                       "Not before this time, like 2026-03-01T12:00:00Z");
    submit->add_option("--deadline", flags.submit.deadline, "Fail if not done by this time");
    submit->add_option("--timeout", flags.submit.timeout_seconds,
                       "Fail if running for longer, in seconds");
    submit->add_option("--unique", flags.submit.unique_key,
                       "Refuse while another job with this key has not ended");
    submit->add_flag("--watch", flags.submit.watch,
                     "Follow the job to its end and show its report");
    submit->callback([&] { code = client::submit(session, flags.submit); });

    auto* bundle = app.add_subcommand("submit-bundle", "Submit many jobs in one call");
    bundle->add_option("file", flags.file, "A job's JSON a line, as REST takes it; - for the input")
        ->required();
    bundle->add_flag("--per-item", flags.per_item, "Each for itself, not all or none");
    bundle->callback([&] { code = client::submit_bundle(session, flags.file, flags.per_item); });

    add_dataset_commands(app, session, flags.dataset, code);

    auto* jobs = app.add_subcommand("jobs", "List the team's jobs, newest first");
    jobs->add_option("--kind", flags.list.kind, "Only this kind");
    jobs->add_option("--state", flags.list.state, "Only this state");
    jobs->add_option("--label", flags.list.label, "Only with this label, as key or key=value");
    jobs->add_option("--limit", flags.list.limit, "At most so many")->check(CLI::Range(1, 200));
    jobs->callback([&] { code = client::list_jobs(session, flags.list); });

    const auto on_job = [&](const char* name, const char* help, auto run) {
        auto* command = app.add_subcommand(name, help);
        command->add_option("job", flags.job, "The job's id")->required();
        command->callback([&code, run] { code = run(); });
        return command;
    };
    on_job("watch", "Follow a job to its end", [&] { return client::watch(session, flags.job); });
    on_job("why", "Say why a job does not run just now",
           [&] { return client::show_wait(session, flags.job); });
    on_job("cancel", "Ask a job to stop", [&] { return client::cancel(session, flags.job); });
    auto* redrive =
        app.add_subcommand("redrive", "Run again what failed or cancelled jobs did not get done");
    auto* ids = redrive->add_option("job", flags.redrive.jobs, "The jobs' ids");
    auto* all = redrive->add_flag("--all-failed", flags.all_failed, "All of the team that failed")
                    ->excludes(ids);
    redrive->add_option("--kind", flags.redrive.kind, "Of these, only this kind")->needs(all);
    redrive->add_option("--label", flags.redrive.label, "Of these, only with key or key=value")
        ->needs(all);
    redrive->callback([&] {
        if (flags.redrive.jobs.empty() && !flags.all_failed) {
            throw CLI::RequiredError("job ids, or --all-failed");
        }
        code = client::redrive(session, flags.redrive);
    });
    on_job("report", "Show a job's report",
           [&] { return client::show_report(session, flags.job); });
    auto* results = on_job("results", "Download a job's results", [&] {
        return client::download_results(session, flags.job, flags.format, flags.file);
    });
    results->add_option("--format", flags.format, "json, jsonl or csv")
        ->check(CLI::IsMember({"json", "jsonl", "csv"}));
    results->add_option("--output,-o", flags.file, "File to write instead of the standard output");
    auto* devices = app.add_subcommand("devices", "List the devices that run jobs");
    devices->add_flag("--watch", flags.watch_devices, "Look again every two seconds, until Ctrl-C");
    devices->require_subcommand(0, 1);
    devices->callback([&code, &session, &flags, devices] {
        if (devices->get_subcommands().empty())
            code = client::list_devices(session, flags.watch_devices);
    });
    auto* clean = devices->add_subcommand(
        "clean", "Have a device let go of the models, kernels and buffers that it keeps");
    clean->add_option("node", flags.node, "The machine's name")->required();
    clean->add_option("device", flags.device, "Its name there, for example opencl:pocl:0")
        ->required();
    clean->callback([&] { code = client::clean_device(session, flags.node, flags.device); });
}

struct WebhookFlags {
    std::string id;
    std::string name;
    std::string url;
};

void add_webhook_commands(CLI::App& app, client::Session& session, WebhookFlags& flags, int& code) {
    auto* command = app.add_subcommand("webhooks", "Have other programs told when jobs end");
    command->require_subcommand(1);
    command->fallthrough();
    command->add_subcommand("list", "List the team's webhooks")->callback([&] {
        code = client::list_webhooks(session);
    });
    auto* add = command->add_subcommand("add", "Add one; its secret is printed this once");
    add->add_option("name", flags.name, "What it is for")->required();
    add->add_option("url", flags.url, "Where to send notices")->required();
    add->callback([&] { code = client::add_webhook(session, flags.name, flags.url); });
    const auto on_webhook = [&](const char* name, const char* help, auto run) {
        auto* sub = command->add_subcommand(name, help);
        sub->add_option("webhook", flags.id, "The webhook's id")->required();
        sub->callback([&session, &flags, &code, run] { code = run(session, flags.id); });
    };
    on_webhook("remove", "Remove one", client::remove_webhook);
    on_webhook("deliveries", "List what was sent, newest first", client::list_deliveries);
    on_webhook("test", "Send a test", client::test_webhook);
}

struct AdminFlags {
    AdminRequest request;
};

void add_admin_commands(CLI::App& app, ServerFlags& server, AdminFlags& admin, int& code) {
    auto* command =
        app.add_subcommand("admin", "Manage users, teams and tokens on the database itself");
    command->require_subcommand(1);
    server.add_to(*command);
    auto& request = admin.request;
    const auto add = [&](const char* name, const char* help, AdminRequest::What what) {
        auto* sub = command->add_subcommand(name, help)->fallthrough();
        sub->callback([&, what] {
            request.what = what;
            const auto settings = server.load();
            code = settings ? run_admin(*settings, request) : refuse(settings.error());
        });
        return sub;
    };
    using What = AdminRequest::What;
    auto* link = add("sign-in-link", "Print a one-time sign-in link", What::sign_in_link);
    link->add_option("--user", request.user,
                     "Name of the user; the first administrator when left out");
    link->add_option("--team", request.team, "Name of the team; the user's first when left out");
    link->add_option(
        "--base-url", request.base_url,
        "Address of the server as browsers reach it; when left out, the server that this "
        "command line is signed in to, or else that of the settings");
    add("users", "List the users", What::list_users);
    auto* user = add("add-user", "Add a user", What::add_user);
    user->add_option("name", request.user, "Name")->required();
    user->add_option("--email", request.email, "Address");
    user->add_flag("--administrator", request.administrator, "May manage users, teams and devices");
    add("teams", "List the teams", What::list_teams);
    add("add-team", "Add a team", What::add_team)
        ->add_option("name", request.team, "Name")
        ->required();
    auto* member =
        add("set-member", "Put a user into a team, or change the role there", What::set_member);
    member->add_option("--team", request.team, "Name of the team")->required();
    member->add_option("--user", request.user, "Name of the user")->required();
    member->add_option("--role", request.role, "viewer, member, admin or owner")
        ->check(CLI::IsMember({"viewer", "member", "admin", "owner"}));
    auto* token =
        add("add-token", "Make an API token; its secret is printed this once", What::add_token);
    token->add_option("name", request.token_name, "What it is for")->required();
    token->add_option("--user", request.user, "Name of the user")->required();
    token->add_option("--team", request.team, "Name of the team")->required();
    token->add_option("--scope", request.scopes, "What it may do")
        ->required()
        ->check(CLI::IsMember(
            std::vector<std::string>(identity::kScopes.begin(), identity::kScopes.end())));
}

}  // namespace

int run(int argc, char** argv) {
    CLI::App app(
        "Plimsoll tells a team how much each GPU can carry, and runs their batch work on it.",
        "plimsoll");
    app.require_subcommand(1);
    app.set_version_flag("--version", PLIMSOLL_VERSION);
    client::Session session;
    session.summary_text = readable_summary;
    app.add_flag("--json", session.json, "Print JSON for programs");
    app.fallthrough();

    int code = 0;
    ServerFlags server;
    UserFlags user;
    WebhookFlags webhook;
    AdminFlags admin;
    add_server_command(app, "serve", "Serve the API and the web pages", server, code, serve);
    add_server_command(app, "engine",
                       "Run workers for this machine's devices, beside or far from a server",
                       server, code, run_engine);
    add_server_command(app, "migrate", "Bring the database's schema up to date", server, code,
                       migrate);
    auto* doctor = app.add_subcommand("doctor", "Say what is there, what is wrong and what to do");
    server.add_to(*doctor);
    doctor->callback([&] {
        const auto settings = server.load();
        code = settings ? run_doctor(*settings, session.json) : refuse(settings.error());
    });
    add_admin_commands(app, server, admin, code);
    add_user_commands(app, session, user, code);
    add_waves_command(app, session, code);
    add_profile_command(app, session, code);
    add_baseline_commands(app, session, code);
    add_queue_commands(app, session, code);
    add_usage_command(app, session, code);
    add_webhook_commands(app, session, webhook, code);
    add_schedule_commands(app, session, code);
    add_advice_commands(app, session, code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "Error: %s\n", error.what());
        return 70;
    }
    return code;
}

}  // namespace plimsoll::app
