#include "server/schedules/runner.hpp"

#include "engine/base/json.hpp"
#include "server/base/log.hpp"
#include "server/schedules/times.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::schedules {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kPace{1};
constexpr int kClaimed = 16;
// Lease of a claim: well below kMissedAfter, so that the claims of a dying server are not
// considered missed.
constexpr std::chrono::seconds kLease{30};

std::int64_t seconds_of(Timestamp time) {
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

Timestamp time_of(std::int64_t seconds) { return Timestamp(std::chrono::seconds(seconds)); }

// To be retried, rather than recorded as a failed run.
bool passes(const Error& error) {
    return error.code == Errc::unavailable || error.code == Errc::timeout;
}
bool passes(const planning::Refusal& refusal) {
    return refusal.arguments.empty() && passes(refusal.error);
}

Answer without_job(const Answer& answer) {
    Answer other;
    other.schedule = answer.schedule;
    other.version = answer.version;
    other.way = answer.way;
    other.expected = answer.expected;
    other.due_at = answer.due_at;
    other.then = answer.then;
    other.missed = answer.missed;
    other.verdict = answer.verdict;
    return other;
}

void fail_with(Answer& answer, std::string reason) {
    answer.verdict = Answer::Verdict::failed;
    answer.reason = std::move(reason);
}

}  // namespace

struct Runner::State : std::enable_shared_from_this<State> {
    State(asio::any_io_executor e, DueTimes& d, planning::Planner& p)
        : executor(std::move(e)), due_times(d), planner(p), timer(executor) {}

    awaitable<void> loop() {
        const auto self = shared_from_this();
        while (!stopped) {
            const bool more = co_await work();
            if (stopped) break;
            if (more) continue;
            timer.expires_after(kPace);
            co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        }
    }

    // Whether there may be more to do immediately.
    awaitable<bool> work() {
        const auto claimed = co_await due_times.claim(kClaimed, kLease);
        if (stopped) co_return false;
        tell(claimed);
        if (!claimed) co_return false;
        bool answered = false;
        for (const auto& one : *claimed) {
            answered |= co_await answer(one);
            if (stopped) co_return false;
        }
        int cancelled = 0;
        while (!stopped) {
            const auto done = co_await due_times.cancel_overlapped();
            if (!done || *done == 0) break;
            cancelled += *done;
        }
        co_return answered || cancelled > 0;
    }

    // Logged once when it changes, not every second.
    void tell(const Result<std::vector<Claimed>>& claimed) {
        if (claimed.has_value() != failing) return;
        failing = !claimed;
        if (failing) log::warn("due times cannot be read", {{"reason", claimed.error().message}});
    }

    // False if nothing was achieved: better wait.
    awaitable<bool> answer(const Claimed& claimed) {
        auto answer = begin(claimed);
        if (!answer) co_return false;
        if (answer->verdict == Answer::Verdict::submit && !co_await plan(claimed, *answer))
            co_return false;
        const auto due = answer->due_at;
        Answer instead = without_job(*answer);
        auto answered = co_await due_times.answer(std::move(*answer));
        if (!answered && !passes(answered.error()) && instead.verdict == Answer::Verdict::submit) {
            // The job cannot be stored: that is the answer.
            fail_with(instead, answered.error().message);
            answered = co_await due_times.answer(std::move(instead));
        }
        if (!answered) {
            log::warn("a due run could not be handled: it will be retried",
                      {{"schedule", to_public(claimed.id)},
                       {"due_at", to_rfc3339(*due)},
                       {"reason", answered.error().message}});
            co_return false;
        }
        log::info("due run handled",
                  {{"schedule", to_public(claimed.id)},
                   {"due_at", to_rfc3339(*due)},
                   {"outcome", answered->outcome},
                   {"job", answered->job ? plimsoll::to_public(*answered->job) : ""}});
        co_return answered->outcome != "changed";
    }

    // Runs that waited come before later due times.
    static std::optional<Answer> begin(const Claimed& claimed) {
        Answer answer;
        answer.schedule = claimed.id;
        answer.version = claimed.version;
        if (claimed.waiting_at && !claimed.busy) {
            answer.way = Answer::Way::waiting;
            answer.due_at = claimed.waiting_at;
            return answer;
        }
        if (!claimed.due_at) return std::nullopt;
        answer.expected = answer.due_at = claimed.due_at;
        const auto cron = Cron::parse(claimed.settings.cron);
        const auto zone = Zone::named(claimed.settings.time_zone);
        if (!cron || !zone) {
            // Without rules nothing is due any more: they were written by another release, or with
            // another time zone database.
            fail_with(answer, cron ? zone.error().message : cron.error().message);
            return answer;
        }
        const auto step =
            next_step(*cron, *zone, claimed.settings.misfire, claimed.settings.misfire_limit,
                      seconds_of(*claimed.due_at), seconds_of(claimed.now));
        answer.due_at = time_of(step.due);
        answer.missed = step.missed;
        if (step.then) answer.then = time_of(*step.then);
        if (!step.submit) {
            answer.verdict = Answer::Verdict::missed;
            answer.reason = "No server was running.";
        } else if ((claimed.busy || claimed.waiting_at) &&
                   (claimed.settings.overlap == Overlap::skip ||
                    claimed.settings.overlap == Overlap::queue)) {
            answer.verdict = Answer::Verdict::busy;  // no plan is needed to let it go or wait
        }
        return answer;
    }

    // False: it cannot be planned now.
    awaitable<bool> plan(const Claimed& claimed, Answer& answer) {
        const auto spec = json::parse(claimed.settings.spec, nullptr, false);
        const auto name = spec.is_object() ? spec.value("kind", "") : "";
        const auto* kind = planner.kind(name);
        if (kind == nullptr) {
            fail_with(answer, "This server does not support the job kind \"" + name + "\".");
            co_return true;
        }
        try {
            auto planned = co_await planner.plan(claimed.team, {*kind, spec.at("args")}, true);
            if (!planned && passes(planned.error())) {
                log::warn("a due job cannot be planned now",
                          {{"schedule", to_public(claimed.id)},
                           {"reason", planned.error().error.message}});
                co_return false;
            }
            if (!planned) {
                fail_with(answer, planning::to_text(planned.error()));
                co_return true;
            }
            auto job = planning::new_job(claimed.team, claimed.user, *kind, spec, {});
            job.plan = std::move(planned->plan);
            answer.submission = Submission{std::move(job), planned->dataset};
        } catch (const json::exception&) {
            // It was checked when it was saved, by a release with different rules.
            fail_with(
                answer,
                "The job was saved by another release of this server: save the schedule again.");
        }
        co_return true;
    }

    asio::any_io_executor executor;
    DueTimes& due_times;
    planning::Planner& planner;
    asio::steady_timer timer;
    bool failing = false;
    bool stopped = false;
};

Runner::Runner(asio::any_io_executor executor, DueTimes& due_times, planning::Planner& planner)
    : state_(std::make_shared<State>(std::move(executor), due_times, planner)) {}

Runner::~Runner() { stop(); }

void Runner::start() { asio::co_spawn(state_->executor, state_->loop(), asio::detached); }

void Runner::stop() {
    state_->stopped = true;
    state_->timer.cancel();
}

}  // namespace plimsoll::schedules
