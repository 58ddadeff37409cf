#include "server/kinds/profile/run/llm_call.hpp"

#include "engine/base/json.hpp"
#include "engine/base/outside_json.hpp"
#include "server/base/awaitable.hpp"
#include "server/outbound/caller.hpp"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::jobs::profile {
namespace {

constexpr int kSeed = 1;  // the same prompt gives the same answer where a model can do that

std::optional<std::int64_t> count(const json& part, const char* member) {
    const auto found = part.find(member);
    if (found == part.end() || !found->is_number_integer() || found->get<std::int64_t>() < 0)
        return std::nullopt;
    return found->get<std::int64_t>();
}

std::optional<double> nanoseconds(const json& part, const char* member) {
    const auto found = count(part, member);
    return found ? std::optional(static_cast<double>(*found) * 1e-9) : std::nullopt;
}

namespace asio = boost::asio;
namespace http = boost::beast::http;
using outbound::Caller;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMaxBytes = 4ULL << 20;  // of an answer
constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr int kOk = 200;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Error error_of(const Caller::Failure& failure, std::chrono::milliseconds timeout) {
    switch (failure.obstacle) {
        case Caller::Obstacle::address:
            return {
                Errc::forbidden,
                "The endpoint's address is not public. If it is the right one, add its network to "
                "llm.allowed_networks (LLM_ALLOWED_NETWORKS).",
                {}};
        case Caller::Obstacle::time:
            return {Errc::timeout,
                    "The endpoint did not respond within " +
                        std::to_string(timeout / std::chrono::seconds(1)) + " s.",
                    {}};
        case Caller::Obstacle::size:
            return {Errc::too_large, "The endpoint's response is larger than 4 MiB.", {}};
        case Caller::Obstacle::origin:
        case Caller::Obstacle::name:
        case Caller::Obstacle::exchange: break;
    }
    return {Errc::unavailable, "The endpoint does not respond: " + failure.reason + ".", {}};
}

outbound::Request request_of(const std::string& target, const std::string& body) {
    outbound::Request request{http::verb::post, target, 11};
    request.set(http::field::content_type, "application/json");
    request.set(http::field::user_agent, "plimsoll");
    request.body() = body;
    request.prepare_payload();
    return request;
}

awaitable<Result<LlmAnswer>> ask(const Caller& caller, outbound::Target target, LlmDialect dialect,
                                 const std::string& body, std::chrono::milliseconds timeout) {
    LlmReader reader(dialect);
    std::optional<Error> wrong;  // in the response
    const auto start = Clock::now();
    outbound::Receiver receiver{.wants_body = [](int status) { return status == kOk; },
                                .body = [&](std::string_view piece) -> Result<void> {
                                    auto taken = reader.take(piece, since(start));
                                    if (!taken) wrong = taken.error();
                                    return taken;
                                },
                                .max_bytes = kMaxBytes};
    auto request = request_of(target.path, body);
    const auto status =
        co_await caller.send(std::move(target), std::move(request), std::move(receiver), timeout);
    if (wrong) co_return fail(std::move(*wrong));
    if (!status) co_return fail(error_of(status.error(), timeout));
    if (*status != kOk) {
        co_return fail(Errc::unavailable,
                       "The endpoint returned status " + std::to_string(*status) +
                           (*status / 100 == 3 ? ", and redirects are not followed." : "."));
    }
    co_return reader.finish(since(start));
}

// Ollama's list of the models that are loaded.
awaitable<Result<json>> ask_loaded(const Caller& caller, outbound::Target target,
                                   std::chrono::milliseconds timeout) {
    std::string body;
    outbound::Receiver receiver{.wants_body = [](int status) { return status == kOk; },
                                .body = [&](std::string_view piece) -> Result<void> {
                                    body += piece;
                                    return {};
                                },
                                .max_bytes = kMaxBytes};
    outbound::Request request{http::verb::get, target.path, 11};
    request.set(http::field::user_agent, "plimsoll");
    const auto status =
        co_await caller.send(std::move(target), std::move(request), std::move(receiver), timeout);
    if (!status) co_return fail(error_of(status.error(), timeout));
    co_return parse_outside_json(body);
}

// Runs a call on a loop of its own, which a request to stop ends.
template <class Answer, class Call>
Result<Answer> run_call(const outbound::Target& target, const std::string& networks,
                        std::chrono::milliseconds timeout, const Watch& watch, const Call& call) {
    TRY(auto allowed, outbound::AllowList::parse(target.origin(), networks));
    TRY(auto tls, outbound::verifying_context());
    asio::io_context io{1};
    // Outlives the caller, whose pending name lookups report to it.
    const Caller caller(std::move(allowed), std::move(tls));
    std::optional<Result<Answer>> answer;
    asio::co_spawn(io, call(caller), [&](const std::exception_ptr& thrown, Result<Answer> got) {
        if (thrown) std::rethrow_exception(thrown);
        answer = std::move(got);
    });
    // A name may be looked up for longer.
    const auto limit = Clock::now() + timeout;
    while (!answer) {
        if (watch.stopped()) return fail(Errc::cancelled, "The measurement was stopped.");
        if (Clock::now() >= limit) return fail(error_of({Caller::Obstacle::time, {}}, timeout));
        io.run_one_for(kBetweenLooks);
    }
    return std::move(*answer);
}

}  // namespace

std::string llm_body(LlmDialect dialect, const LlmRequest& request) {
    const json body =
        dialect == LlmDialect::ollama
            ? json{{"model", request.model},
                   {"prompt", request.prompt},
                   {"stream", true},
                   {"options",
                    {{"num_predict", request.max_tokens}, {"temperature", 0}, {"seed", kSeed}}}}
            : json{{"model", request.model},
                   {"messages", {{{"role", "user"}, {"content", request.prompt}}}},
                   {"stream", true},
                   {"stream_options", {{"include_usage", true}}},
                   {"max_tokens", request.max_tokens},
                   {"temperature", 0},
                   {"seed", kSeed}};
    return body.dump();
}

Result<void> LlmReader::take(std::string_view piece, double seconds) {
    now_ = seconds;
    rest_ += piece;
    std::size_t begin = 0;
    for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
        const auto line = std::string_view(rest_).substr(begin, end - begin);
        TRY_DO(take_line(line));
        begin = end + 1;
    }
    rest_.erase(0, begin);
    return {};
}

Result<LlmAnswer> LlmReader::finish(double seconds) {
    now_ = seconds;
    TRY_DO(take_line(rest_));
    if (!ended_) return fail(Errc::corrupt, "The endpoint's response is incomplete.");
    if (!has_tokens_)
        return fail(Errc::corrupt, "The endpoint did not report the number of tokens.");
    answer_.seconds = seconds;
    if (!has_text_) answer_.first_seconds = seconds;
    return answer_;
}

Result<void> LlmReader::take_line(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    constexpr std::string_view kData = "data:";
    const bool is_event = dialect_ == LlmDialect::openai && line.starts_with(kData);
    if (is_event) line.remove_prefix(kData.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line.empty() || line.starts_with(':')) return {};
    if (is_event && line == "[DONE]") {
        ended_ = true;
        return {};
    }
    const json part = parse_outside_json(line);
    if (!part.is_object()) return fail(Errc::corrupt, "The endpoint's response is not JSON.");
    if (const auto error = part.find("error"); error != part.end() && !error->is_null())
        return fail(Errc::unavailable, "The endpoint returned an error.");
    dialect_ == LlmDialect::ollama ? take_ollama(part) : take_openai(part);
    return {};
}

void LlmReader::take_ollama(const json& part) {
    if (part.contains("response")) saw_text(part["response"]);
    const auto done = part.find("done");
    ended_ = ended_ || (done != part.end() && *done == true);
    if (const auto tokens = count(part, "eval_count")) {
        answer_.tokens = *tokens;
        has_tokens_ = true;
        answer_.prompt_tokens = count(part, "prompt_eval_count");
        answer_.generating_seconds = nanoseconds(part, "eval_duration");
        answer_.load_seconds = nanoseconds(part, "load_duration");
    }
}

void LlmReader::take_openai(const json& part) {
    const auto choices = part.find("choices");
    if (choices != part.end() && choices->is_array()) {
        for (const auto& choice : *choices) {
            if (!choice.is_object()) continue;
            for (const auto* member : {"delta", "message"}) {
                const auto message = choice.find(member);
                if (message == choice.end() || !message->is_object()) continue;
                if (message->contains("content")) saw_text((*message)["content"]);
                ended_ = ended_ || std::string_view(member) == "message";
            }
        }
    }
    const auto usage = part.find("usage");
    if (usage == part.end() || !usage->is_object()) return;
    if (const auto tokens = count(*usage, "completion_tokens")) {
        answer_.tokens = *tokens;
        has_tokens_ = true;
        answer_.prompt_tokens = count(*usage, "prompt_tokens");
    }
}

void LlmReader::saw_text(const json& text) {
    if (has_text_ || !text.is_string() || text.get_ref<const std::string&>().empty()) return;
    has_text_ = true;
    answer_.first_seconds = now_;
}

Result<LlmAnswer> call_llm(const LlmEndpoint& endpoint, const std::string& networks,
                           const LlmRequest& request, std::chrono::milliseconds timeout,
                           const Watch& watch) {
    TRY(const auto target, outbound::parse_target(endpoint.url));
    const auto body = llm_body(endpoint.dialect, request);
    return run_call<LlmAnswer>(target, networks, timeout, watch, [&](const Caller& caller) {
        return ask(caller, target, endpoint.dialect, body, timeout);
    });
}

std::optional<double> llm_memory(const LlmEndpoint& endpoint, const std::string& networks,
                                 const std::string& model, std::chrono::milliseconds timeout,
                                 const Watch& watch) {
    constexpr std::string_view kGenerate = "generate";
    auto target = outbound::parse_target(endpoint.url);
    if (!target || endpoint.dialect != LlmDialect::ollama) return std::nullopt;
    target->path.replace(target->path.size() - kGenerate.size(), kGenerate.size(), "ps");
    const auto loaded =
        run_call<json>(*target, networks, timeout, watch,
                       [&](const Caller& caller) { return ask_loaded(caller, *target, timeout); });
    if (!loaded || !loaded->is_object()) return std::nullopt;
    for (const auto& one : loaded->value("models", json::array())) {
        if (!one.is_object()) continue;
        const auto name = one.value("name", json());
        if (name != model && name != model + ":latest") continue;
        if (const auto bytes = count(one, "size_vram")) return static_cast<double>(*bytes);
    }
    return std::nullopt;
}

}  // namespace plimsoll::jobs::profile
