#include "server/http/api/api.hpp"

#include "engine/base/json.hpp"
#include "server/base/offload.hpp"
#include "server/base/return_memory.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/access/network.hpp"
#include "server/http/api/cursors.hpp"
#include "server/http/api/idempotency.hpp"
#include "server/http/contract/json_body.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/fingerprint.hpp"

#include <stdexcept>

#include <boost/asio/post.hpp>

namespace plimsoll::http {

namespace {

void check_complete(const Contract& contract, const Handlers& handlers) {
    std::string missing;
    for (const auto& operation : contract.operations())
        if (!handlers.contains(operation.id))
            missing += "\n  " + operation.id + " is in openapi.yaml and has no handler";
    for (const auto& [id, handler] : handlers)
        if (contract.find(id) == nullptr)
            missing += "\n  " + id + " has a handler and is not in openapi.yaml";
    if (!missing.empty()) throw std::runtime_error("the API is not complete:" + missing);
}

// With or without parameters.
bool is_type(std::string_view content_type, std::string_view wanted) {
    content_type = content_type.substr(0, content_type.find(';'));
    while (content_type.ends_with(' ')) content_type.remove_suffix(1);
    return same_token(content_type, wanted);
}

Outcome<void> check_body_head(const Request& request, const std::string& wanted) {
    if (!is_type(request.header("Content-Type").value_or(""), wanted))
        return refuse(415, "Send the body as " + wanted + ".");
    if (!same_token(request.header("Content-Encoding").value_or("identity"), "identity"))
        return refuse(415, "Send the body without a Content-Encoding.");
    return {};
}

// Problems are sent whatever was asked for.
Outcome<void> check_accept(const Request& request, const std::vector<std::string>& types) {
    if (is_acceptable(request.list("Accept"), types)) return {};
    std::string listed;
    for (const auto& type : types) listed += (listed.empty() ? "" : " or ") + type;
    return refuse(406, "The response is " + listed + ", which the Accept header excludes.");
}

// The parameters were checked and there is no body, so the invalid value is our own: one that the
// database refuses.
Problem misread(const Problem& problem) {
    std::string why = problem.detail;
    for (const auto& error : problem.errors) why += " " + error.pointer + " " + error.detail;
    return Error{Errc::internal, "a read got 422: " + why, {}};
}

struct ParsedBody {
    json value;
    // SHA-256, the same for equal values: white space and the order of members do not matter.
    std::string fingerprint;
};

// Runs on either thread: it touches nothing but its arguments.
Outcome<ParsedBody> parse_and_check(std::string_view text, const Schema& schema, bool has_key) {
    TRY(auto value, parse_json(text));
    const auto violations = schema.check(value);
    if (violations.empty()) {
        auto print = has_key ? fingerprint(value.dump()) : std::string();
        return ParsedBody{std::move(value), std::move(print)};
    }
    const auto count = violations.size();
    Problem problem(422, "The body is invalid in " + std::to_string(count) +
                             (count == 1 ? " place." : " places."));
    if (count == limits::kFieldErrors)
        problem.detail = "The body is invalid in many places; the first are listed.";
    for (const auto& violation : violations)
        problem.errors.push_back({violation.pointer, {}, violation.message});
    return tl::unexpected(std::move(problem));
}

}  // namespace

class ApiExchange final : public Exchange {
  public:
    explicit ApiExchange(Api& api) : api_(api) {}

    awaitable<std::optional<Response>> admit(const Request& head) override {
        if (head.method == "OPTIONS") co_return methods(head);
        auto admitted = co_await try_admit(head);
        if (!admitted) co_return with_common(to_response(admitted.error(), head.id));
        co_return std::nullopt;
    }

    std::size_t body_limit() const override { return match_.operation->body_limit; }

    Subject subject() const override {
        Subject subject;
        if (match_.operation != nullptr) subject.operation = match_.operation->id;
        if (principal_.team.id.value != 0) subject.team = to_public(principal_.team.id);
        return subject;
    }

    // Callers without a credential are counted by address.
    FairBudget::Holder holder(const Request& head) const override {
        const bool known = principal_.team.id.value != 0;
        return known ? holder_of(principal_)
                     : FairBudget::Holder{network_of(head.remote_address), {}};
    }

    bool takes_stream() const override { return !match_.operation->stream_type.empty(); }

    awaitable<Response> answer(const Request& request, BodySource* stream) override {
        auto answered = co_await try_answer(request, stream);
        if (was_large_) free_body();
        const bool reads = request.method == "GET" || request.method == "HEAD";
        if (reads && !answered && answered.error().status == 422)
            answered = tl::unexpected(misread(answered.error()));
        if (!answered) co_return with_common(to_response(answered.error(), request.id));
        co_return with_common(std::move(*answered));
    }

  private:
    Response with_common(Response response) const {
        for (const auto& [name, value] : rate_limits_) response.with(name, value);
        if (match_.operation == nullptr) return response;
        for (const auto& [name, value] : match_.operation->deprecation) response.with(name, value);
        return response;
    }

    // The methods of a path are no secret: they are in the contract.
    Response methods(const Request& head) const {
        const auto target = parse_target(head.target);
        if (!target) return to_response(target.error(), head.id);
        auto methods = api_.router_.methods(*target);
        if (methods.empty())
            return to_response(Problem(404, "There is no resource at this path."), head.id);
        auto response = empty_response(204);
        response.with("Allow", std::move(methods));
        return response;
    }

    awaitable<Outcome<void>> try_admit(const Request& head) {
        CO_TRY(auto target, parse_target(head.target));
        CO_TRY(match_, api_.router_.match(head.method, target));
        const auto& operation = *match_.operation;
        if (!operation.open) {
            CO_TRY(principal_, co_await identify(head));
            CO_TRY(place_, api_.limits_.admit(principal_, CallerLimits::Clock::now()));
            rate_limits_ = api_.limits_.fields(principal_);
            CO_TRY_DO(require_scope(principal_, operation.scope));
        }
        CO_TRY(parameters_, Parameters::read(match_, target, head));
        CO_TRY_DO(check_accept(head, operation.produces));
        if (operation.body != nullptr) co_return check_body_head(head, "application/json");
        if (takes_stream()) co_return check_body_head(head, operation.stream_type);
        co_return Outcome<void>();
    }

    awaitable<Outcome<identity::Principal>> identify(const Request& head) {
        CO_TRY(const auto shown, read_credential(head));
        auto principal = co_await authenticate(api_.identity_, head, shown);
        if (principal || principal.error().status != 401) co_return principal;
        co_return tl::unexpected(api_.failures_.refusal(
            head.remote_address, FailureLimit::Clock::now(), std::move(principal.error())));
    }

    awaitable<Outcome<Response>> try_answer(const Request& request, BodySource* stream) {
        const auto& operation = *match_.operation;
        std::optional<TieredBudget::Reservation> memory;
        if (operation.body == nullptr && !request.body.empty() && request.body != kEmptyBody)
            co_return refuse(400, "This operation does not accept a body.");
        if (operation.body != nullptr) {
            memory.emplace(api_.parsed_.open(holder(request)));
            CO_TRY(body_, co_await parse(request.body, *operation.body, *memory));
        }
        Outcome<Cursors> cursors = Cursors();
        if (operation.is_paged) cursors = co_await open_cursor();
        if (!cursors) co_return tl::unexpected(std::move(cursors.error()));
        const Call call{request,           operation, parameters_, body_.value,
                        body_.fingerprint, stream,    principal_,  *cursors};
        const auto& handler = api_.handlers_.find(operation.id)->second;
        if (operation.keeps == Operation::Keeps::none) co_return co_await respond(call, handler);
        co_return co_await answer_once(call, handler, api_.idempotency_);
    }

    // Signs the pages' cursors; what the caller sent is opened.
    awaitable<Outcome<Cursors>> open_cursor() {
        if (api_.cursor_key_.empty()) {
            CO_TRY(api_.cursor_key_, co_await api_.identity_.cursor_key());
        }
        Cursors cursors(api_.cursor_key_, match_.operation->id, to_public(principal_.team.id));
        if (const auto sent = parameters_.text("cursor")) {
            CO_TRY(auto opened, cursors.open(*sent));
            parameters_.replace("cursor", std::move(opened));
        }
        co_return cursors;
    }

    // On the pool, before any other body is parsed there: a large one takes milliseconds.
    void free_body() {
        boost::asio::post(api_.pool_, [body = std::move(body_)]() mutable {
            body = ParsedBody();
            return_freed_memory();
        });
    }

    // Reserves the memory that the body takes before it is parsed.
    awaitable<Outcome<ParsedBody>> parse(const std::string& text, const Schema& schema,
                                         TieredBudget::Reservation& memory) {
        const auto size = parsed_size(text);
        was_large_ = size >= limits::kLargeBodyBytes;
        if (size > api_.parsed_.max())
            co_return refuse(413, "The body has too many values. Send fewer at once.");
        if (!memory.grow_to(size))
            co_return tl::unexpected(overloaded("The server is processing too many large bodies."));
        const bool has_key = parameters_.text("Idempotency-Key").has_value();
        const auto work = [&, has_key] { return parse_and_check(text, schema, has_key); };
        if (text.size() <= limits::kInlineBytes) co_return work();
        co_return co_await offload(api_.pool_, work);
    }

    Api& api_;
    Match match_;
    Parameters parameters_;
    identity::Principal principal_;
    CallerLimits::Place place_;
    std::vector<Header> rate_limits_;
    ParsedBody body_;
    bool was_large_ = false;
};

Api::Api(const Contract& contract, Handlers handlers, identity::IdentityStore& identity,
         teams::IdempotencyStore& idempotency, boost::asio::thread_pool& pool, CallerQuotas quotas)
    : handlers_(std::move(handlers)),
      router_(contract),
      identity_(identity),
      idempotency_(idempotency),
      pool_(pool),
      limits_(quotas) {
    check_complete(contract, handlers_);
}

std::unique_ptr<Exchange> Api::exchange() { return std::make_unique<ApiExchange>(*this); }

void Api::memory_freed() { boost::asio::post(pool_, return_freed_memory); }

bool Api::serves(std::string_view target) const {
    const auto parsed = parse_target(target);
    if (!parsed) return true;
    if (!parsed->segments.empty() && parsed->segments[0] == "v1") return true;
    const auto match = router_.match("GET", *parsed);
    return match || match.error().status != 404;
}

}  // namespace plimsoll::http
