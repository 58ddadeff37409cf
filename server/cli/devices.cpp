#include "server/cli/resource.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include <boost/url/encode.hpp>
#include <boost/url/rfc/pchars.hpp>

namespace plimsoll::cli {
namespace {

constexpr std::chrono::seconds kBetweenLooks{2};
constexpr std::chrono::milliseconds kBetweenAnswers{200};
constexpr const char* kClearScreen = "\x1b[H\x1b[J";
constexpr double kGibibyte = 1 << 30;

// "–" for what a device does not report.
std::string number(const json& readings, const char* member, const char* format, double unit = 1) {
    const auto found = readings.find(member);
    if (found == readings.end() || !found->is_number()) return "–";
    char text[64];
    std::snprintf(text, sizeof text, format, found->get<double>() / unit);
    return text;
}

std::string memory(const json& device, const json& readings) {
    const auto all = number(device, "memory_bytes", "%.1f GiB", kGibibyte);
    const auto free = number(readings, "memory_free_bytes", "%.1f", kGibibyte);
    return free == "–"
               ? all
               : free + " of " + number(readings, "memory_total_bytes", "%.1f GiB", kGibibyte);
}

std::string table(const CommandContext& context, const json& devices) {
    std::vector<std::vector<std::string>> rows = {{"NODE", "DEVICE", "CLASS", "PROCESSOR", "STATE",
                                                   "TASKS", "BUSY", "FREE MEMORY", "TEMP", "POWER",
                                                   "NAME"}};
    std::string warnings;
    const auto warn = [&](const json& device, const std::string& message) {
        warnings +=
            "\n" +
            context.terminal.paint(terminal::Style::bad, text_of(device, "node") + " " +
                                                             text_of(device, "device") + ": ") +
            message;
    };
    for (const auto& device : devices) {
        const auto told = device.find("telemetry");
        const json readings = told != device.end() && told->is_object() ? *told : json::object();
        rows.push_back(
            {text_of(device, "node"), text_of(device, "device"), text_of(device, "device_class"),
             text_of(device, "processor_class"), text_of(device, "state"),
             format_count(device.value("tasks_running", std::int64_t{0})),
             number(readings, "utilization_percent", "%.0f %%"), memory(device, readings),
             number(readings, "temperature_celsius", "%.0f °C"),
             number(readings, "power_watts", "%.0f W"), text_of(device, "name")});
        if (const auto reason = text_of(device, "reason"); !reason.empty()) warn(device, reason);
        for (const auto& warning : device.value("warnings", json::array()))
            warn(device, text_of(warning, "message"));
    }
    return format_list(context.terminal, std::move(rows),
                       {"POWER", "TEMP", "PROCESSOR", "CLASS", "TASKS", "NAME", "FREE MEMORY"}) +
           warnings;
}

std::string segment(const std::string& text) {
    return boost::urls::encode(text, boost::urls::pchars);
}

std::string megabytes(const json& bytes) {
    if (!bytes.is_number()) return "unknown";
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MB", bytes.get<double>() / 1e6);
    return text;
}

const json* find_device(const json& list, const std::string& node, const std::string& device) {
    for (const auto& item : list.at("items"))
        if (text_of(item, "node") == node && text_of(item, "device") == device) return &item;
    return nullptr;
}

bool has_worker(const json& device) {
    const auto state = text_of(device, "state");
    return state != "failed" && state != "gone";
}

void list_devices(const CommandContext& context, bool watch) {
    auto api = need(client::signed_in());
    for (;;) {
        const auto list = api.get_json("/v1/devices");
        if (!list && watch) {
            context.terminal.note(list.error().message);  // the server may be restarting
        } else if (context.json) {
            context.terminal.line(need(list).dump(watch ? -1 : 2));
        } else {
            if (watch && context.terminal.interactive()) std::fputs(kClearScreen, stdout);
            context.terminal.line(table(context, need(list).at("items")));
        }
        if (!watch || std::fflush(stdout) != 0) return;  // or nobody reads any more
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

int clean(const CommandContext& context, const std::string& node, const std::string& device) {
    auto api = need(client::signed_in());
    const auto asked = need(api.post_json(
        "/v1/devices/" + segment(node) + "/" + segment(device) + "/cleanup", nullptr));
    json found = asked;
    while (text_of(found.at("cleanup"), "state") == "pending" && has_worker(found)) {
        std::this_thread::sleep_for(kBetweenAnswers);
        const auto list = need(api.get_json("/v1/devices"));
        const auto* now = find_device(list, node, device);
        if (now == nullptr) break;
        found = *now;
    }
    const auto& cleanup = found.at("cleanup");
    const bool done = text_of(cleanup, "state") == "done";
    if (context.json) {
        context.terminal.line(found.dump(2));
    } else if (done) {
        context.terminal.line("Freed " + megabytes(cleanup.at("kept_bytes")) +
                              " according to the job kinds' memory ledger, " +
                              megabytes(cleanup.at("freed_bytes")) + " according to the system.");
    } else {
        context.terminal.note(
            "The device's worker has stopped; its successor will free the memory.");
    }
    return done ? 0 : 1;
}

}  // namespace

void add_devices(CLI::App& app, CommandContext& context) {
    struct Options {
        bool watch = false;
        std::string node;
        std::string device;
    };
    const auto options = std::make_shared<Options>();
    auto* group = app.add_subcommand("devices", "List the devices that run jobs");
    auto* watch =
        group->add_flag("--watch", options->watch, "Refresh every two seconds until Ctrl-C");
    group->require_subcommand(0, 1);
    group->callback([&context, options, group] {
        if (group->get_subcommands().empty()) list_devices(context, options->watch);
    });
    auto* command =
        group->add_subcommand("clean", "Free the models, kernels and buffers cached on a device")
            ->excludes(watch);
    command->add_option("node", options->node, "Name of the node")->required();
    command
        ->add_option("device", options->device,
                     "Name of the device on the node, for example opencl:pocl:0")
        ->required();
    command->callback([&context, options] {
        context.exit_code = clean(context, options->node, options->device);
    });
}

}  // namespace plimsoll::cli
