#include "server/kinds/sentiment/rest/model_operations.hpp"

#include "engine/base/json.hpp"
#include "server/base/log.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/jobs/records/model_requirement.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kLook{250};
// From a request to stop until the process is killed: it removes partial copies meanwhile.
constexpr std::chrono::seconds kPatience{5};

std::vector<std::string> arguments_for(const ModelWork& work, const std::string& folder) {
    std::vector<std::string> arguments{"model", "--models=" + folder, work.action, "--json-lines"};
    if (work.action != "pull") {
        arguments.push_back(work.model);
        return arguments;
    }
    arguments.push_back("--name=" + work.model);
    arguments.push_back("--added-by=" + work.started_by);
    if (!work.revision.empty()) arguments.push_back("--revision=" + work.revision);
    if (!work.audience.empty()) arguments.push_back("--team=" + work.audience);
    arguments.push_back(work.source);
    return arguments;
}

// Reads a line of `--json-lines`; any other line is what the program prints before it fails.
void take_line(ModelOperation& operation, std::string_view line) {
    const auto told = json::parse(line, nullptr, false);
    if (!told.is_object()) {
        operation.error = line;
    } else if (told.contains("error")) {
        operation.error = told["error"].value("message", "");
    } else if (told.contains("title")) {
        operation.stage = told.value("title", "");
        operation.bytes_done = told.value("done", std::int64_t{0});
        operation.bytes_total = told.value("total", std::int64_t{0});
    }
}

}  // namespace

json to_json(const ModelOperation& operation) {
    using http::endpoints::text_or_null;
    const auto& work = operation.work;
    return {{"id", to_public(operation.id)},
            {"action", work.action},
            {"model", work.model},
            {"source", text_or_null(work.source)},
            {"audience", work.audience.empty() ? "all" : "team"},
            {"state", operation.state},
            {"stage", text_or_null(operation.stage)},
            {"bytes_done", operation.bytes_done},
            {"bytes_total", operation.bytes_total},
            {"error", text_or_null(operation.state == "failed" ? operation.error : "")},
            {"started_by", work.started_by},
            {"started_at", to_rfc3339(operation.started_at)},
            {"finished_at", http::endpoints::time_or_null(operation.ended_at)}};
}

ModelOperations::ModelOperations(std::filesystem::path folder, const Clock& clock,
                                 const http::Draining& draining)
    : folder_(std::move(folder)), clock_(clock), draining_(draining) {}

Result<ModelOperation> ModelOperations::start(const asio::any_io_executor& executor,
                                              ModelWork work) {
    if (draining_.begun()) return fail(Errc::unavailable, "The server is stopping.");
    if (child_ != nullptr) {
        const auto& running = operations_.front()->work;
        return fail(Errc::conflict,
                    "The server is already " +
                        std::string(running.action == "pull" ? "pulling" : "verifying") +
                        " a model: wait for the operation to end, or cancel it.");
    }
    const auto now = clock_.now();
    auto number = std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count();
    if (!operations_.empty()) number = std::max(number, operations_.front()->id.value + 1);
    operations_.push_front(std::make_shared<ModelOperation>(
        ModelOperation{.id = {number}, .work = std::move(work), .started_at = now}));
    if (operations_.size() > kKept) operations_.pop_back();
    child_ = std::make_unique<ChildProgram>();
    const auto keep = shared_from_this();
    asio::co_spawn(executor, run(operations_.front()), [keep](const std::exception_ptr&) {});
    asio::co_spawn(executor, end_on_time(operations_.front()),
                   [keep](const std::exception_ptr&) {});
    return *operations_.front();
}

awaitable<void> ModelOperations::run(std::shared_ptr<ModelOperation> operation) {
    const auto ended = co_await child_->run(
        sibling_program("plimsoll"), arguments_for(operation->work, folder_.string()),
        [&](std::string_view line) { take_line(*operation, line); });
    child_.reset();
    operation->ended_at = clock_.now();
    if (ended && *ended == 0) {
        operation->state = "succeeded";
    } else if (operation->state == "cancelling") {
        operation->state = "cancelled";
    } else {
        operation->state = "failed";
        if (!ended) operation->error = ended.error().message;
        if (operation->error.empty())
            operation->error = "plimsoll model " + operation->work.action +
                               " ended: " + describe_end(*ended) + ".";
    }
    log::info("model operation ended", {{"action", operation->work.action},
                                        {"model", operation->work.model},
                                        {"state", operation->state},
                                        {"error", operation->error}});
}

// Stops it when the server stops, and kills it if it does not stop on request.
awaitable<void> ModelOperations::end_on_time(std::shared_ptr<ModelOperation> operation) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    std::optional<std::chrono::steady_clock::time_point> killed_at;
    while (!operation->ended_at) {
        timer.expires_after(kLook);
        co_await timer.async_wait(asio::use_awaitable);
        if (draining_.begun()) cancel(operation->id);
        if (operation->state != "cancelling" || operation->ended_at) continue;
        const auto now = std::chrono::steady_clock::now();
        if (!killed_at) killed_at = now + kPatience;
        if (now >= *killed_at) child_->stop();
    }
}

std::vector<ModelOperation> ModelOperations::list(TeamId team) const {
    std::vector<ModelOperation> found;
    for (const auto& one : operations_)
        if (is_for(one->work.audience, team)) found.push_back(*one);
    return found;
}

std::optional<ModelOperation> ModelOperations::find(TeamId team, std::string_view id) const {
    const auto found = std::ranges::find_if(operations_, [&](const auto& one) {
        return to_public(one->id) == id && is_for(one->work.audience, team);
    });
    if (found == operations_.end()) return std::nullopt;
    return **found;
}

void ModelOperations::cancel(ModelOperationId id) {
    for (const auto& one : operations_) {
        if (one->id != id || one->state != "running") continue;
        one->state = "cancelling";
        child_->stop();
    }
}

bool ModelOperations::works_on(std::string_view model) const {
    return child_ != nullptr && operations_.front()->work.model == model;
}

}  // namespace plimsoll::jobs::sentiment
