#include "server/postgres/driver/connection.hpp"

#include "server/base/log.hpp"
#include "server/postgres/driver/sqlstate.hpp"

#include <algorithm>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <libpq-fe.h>

namespace plimsoll::postgres {

// The caller that waits for a batch, of whatever kind: a coroutine in the server.
struct Connection::Completion {
    virtual ~Completion() = default;
    virtual void operator()(Result<Replies> result) = 0;
};

template <class Handler>
struct Connection::CompletionOf final : Completion {
    CompletionOf(Handler waiting, const asio::any_io_executor& fallback)
        : work(asio::get_associated_executor(waiting, fallback)), handler(std::move(waiting)) {}

    // Posted, so that a resumed caller never runs inside our own loop over the results.
    void operator()(Result<Replies> result) override {
        auto executor = work.get_executor();
        asio::post(executor, [waiting = std::move(handler), result = std::move(result)]() mutable {
            std::move(waiting)(std::move(result));
        });
    }

    asio::executor_work_guard<asio::associated_executor_t<Handler, asio::any_io_executor>> work;
    Handler handler;
};

struct Connection::Pending {
    std::vector<std::string_view> names;  // of the statements, for errors
    std::vector<const char*> prepares;    // statements prepared for the following batch, by name
    Replies replies;
    std::optional<Error> error;    // of the first statement that failed
    std::size_t transactions = 1;  // that have not ended yet
    Deadline deadline;
    std::unique_ptr<Completion> waiting;  // null: answered, or the caller left

    void answer(Result<Replies> result) {
        if (auto completion = std::move(waiting)) (*completion)(std::move(result));
    }
};

std::shared_ptr<Connection> Connection::over(asio::any_io_executor executor, Handle handle,
                                             Lost lost) {
    std::shared_ptr<Connection> connection(
        new Connection(std::move(executor), std::move(handle), std::move(lost)));
    PQenterPipelineMode(connection->handle_.get());
    connection->wait_readable();
    return connection;
}

Connection::Connection(asio::any_io_executor executor, Handle handle, Lost lost)
    : executor_(std::move(executor)),
      handle_(std::move(handle)),
      process_(std::to_string(PQbackendPID(handle_.get()))),
      socket_(executor_, PQsocket(handle_.get())),
      deadline_timer_(executor_),
      lost_(std::move(lost)) {}

Connection::~Connection() { close(); }

awaitable<Result<Replies>> Connection::run(Batch batch, Deadline deadline) {
    // The caller's frame may be gone before the answer; the connection must not be.
    auto self = shared_from_this();
    auto initiate = [self, deadline](auto handler, Batch statements) {
        using Handler = std::decay_t<decltype(handler)>;
        auto slot = asio::get_associated_cancellation_slot(handler);
        std::shared_ptr<Pending> started;
        self->start(std::move(statements), deadline,
                    std::make_unique<CompletionOf<Handler>>(std::move(handler), self->executor_),
                    started);
        if (slot.is_connected()) {
            slot.assign([pending = std::weak_ptr(started)](asio::cancellation_type) {
                if (auto waiting = pending.lock())
                    waiting->answer(fail(Errc::cancelled, "The caller stopped waiting."));
            });
        }
    };
    co_return co_await asio::async_initiate<decltype(asio::use_awaitable), void(Result<Replies>)>(
        std::move(initiate), asio::use_awaitable, std::move(batch));
}

void Connection::start(Batch batch, Deadline deadline, std::unique_ptr<Completion> completion,
                       std::shared_ptr<Pending>& started) {
    started = std::make_shared<Pending>();
    started->deadline = deadline;
    started->waiting = std::move(completion);
    if (!handle_) {
        started->answer(fail(Errc::unavailable, "The connection to the database was lost."));
        return;
    }
    for (const Statement& statement : batch) {
        started->names.push_back(statement.query.name);
        started->transactions += statement.begins_transaction;
        if (std::ranges::any_of(statement.params, &Param::is_text_with_nul)) {
            started->answer(fail(Errc::invalid_input, "A text contains U+0000."));
            return;
        }
    }
    const bool prepared = prepare(batch, deadline);
    pending_.push_back(started);
    if (!prepared || !send(batch)) {
        abandon({Errc::unavailable, last_message(), {}});
        return;
    }
    watch_deadline(deadline);
    schedule_flush();
}

// In a transaction of its own: a batch that fails undoes nothing that later ones depend on.
bool Connection::prepare(const Batch& batch, Deadline deadline) {
    if (!prepares_) return true;
    auto preparing = std::make_shared<Pending>();
    for (const auto& [query, params, begins_transaction, names_process] : batch) {
        if (!query.prepared || !prepared_.insert(query.prepared).second) continue;
        preparing->names.push_back(query.name);
        preparing->prepares.push_back(query.prepared);
        // Parameters have the types that the statement casts them to.
        if (!PQsendPrepare(handle_.get(), query.prepared, query.text, 0, nullptr)) return false;
    }
    if (preparing->prepares.empty()) return true;
    preparing->deadline = deadline;
    pending_.push_back(std::move(preparing));
    return PQpipelineSync(handle_.get()) == 1;
}

bool Connection::send(const Batch& batch) {
    std::vector<unsigned> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
    for (const Statement& statement : batch) {
        if (statement.begins_transaction && PQpipelineSync(handle_.get()) != 1) return false;
        types.clear();
        values.clear();
        lengths.clear();
        formats.clear();
        for (const Param& param : statement.params) {
            types.push_back(param.type());
            values.push_back(param.data());
            lengths.push_back(param.length());
            formats.push_back(param.format());
        }
        if (statement.names_process) {
            types.push_back(0);
            values.push_back(process_.c_str());
            lengths.push_back(0);  // not read: it is text
            formats.push_back(0);
        }
        constexpr int binary_results = 1;
        const auto count = static_cast<int>(values.size());
        const bool sent =
            prepares_ && statement.query.prepared
                ? PQsendQueryPrepared(handle_.get(), statement.query.prepared, count, values.data(),
                                      lengths.data(), formats.data(), binary_results)
                : PQsendQueryParams(handle_.get(), statement.query.text, count, types.data(),
                                    values.data(), lengths.data(), formats.data(), binary_results);
        if (!sent) return false;
    }
    return PQpipelineSync(handle_.get()) == 1;
}

// One flush for everything that the callers of this turn of the loop have sent.
void Connection::schedule_flush() {
    if (std::exchange(flush_scheduled_, true)) return;
    asio::post(executor_, [self = shared_from_this()] { self->flush(); });
}

void Connection::flush() {
    if (!handle_) return;
    const int left = PQflush(handle_.get());
    if (left < 0) return abandon({Errc::unavailable, last_message(), {}});
    flush_scheduled_ = left > 0;
    if (left == 0) return;
    socket_.async_wait(BorrowedSocket::writable,
                       [self = shared_from_this()](boost::system::error_code error) {
                           if (!error) self->flush();
                       });
}

// Always armed, so that the end of an idle connection is noticed immediately. Weak, so that an idle
// connection without owners is destroyed.
void Connection::wait_readable() {
    socket_.async_wait(BorrowedSocket::readable,
                       [weak = weak_from_this()](boost::system::error_code error) {
                           auto self = weak.lock();
                           if (error || !self || !self->handle_) return;
                           if (!PQconsumeInput(self->handle_.get()))
                               return self->abandon({Errc::unavailable, self->last_message(), {}});
                           self->drain();
                           if (self->handle_) self->wait_readable();
                       });
}

void Connection::drain() {
    // PQgetResult returns null once after the results of a statement.
    int nulls = 0;
    while (handle_ && !pending_.empty() && !PQisBusy(handle_.get()) && nulls < 2) {
        if (pg_result* result = PQgetResult(handle_.get())) {
            nulls = 0;
            take(*pending_.front(), result);
        } else {
            ++nulls;
        }
    }
    using Notification = std::unique_ptr<PGnotify, decltype(&PQfreemem)>;
    while (handle_ && notified_) {
        const Notification notification(PQnotifies(handle_.get()), &PQfreemem);
        if (!notification) break;
        notified_(notification->relname, notification->extra);
    }
    if (handle_ && PQstatus(handle_.get()) == CONNECTION_BAD)
        abandon({Errc::unavailable, last_message(), {}});
}

void Connection::take(Pending& front, pg_result* result) {
    Rows rows(result);
    switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK: front.replies.push_back(std::move(rows)); return;
        case PGRES_PIPELINE_ABORTED: return;
        case PGRES_PIPELINE_SYNC: {
            if (--front.transactions > 0) return;
            auto finished = std::move(pending_.front());
            pending_.pop_front();
            if (finished->error && !finished->prepares.empty()) {
                for (const char* name : finished->prepares) prepared_.erase(name);
                pending_.front()->error = std::move(finished->error);
            } else if (finished->error) {
                finished->answer(fail(std::move(*finished->error)));
            } else {
                finished->answer(std::move(finished->replies));
            }
            return;
        }
        default: {
            if (front.error) return;
            // After the last statement's response, it is the commit that failed.
            const std::size_t failed = front.replies.size();
            const auto name = failed < front.names.size() ? front.names[failed] : "commit";
            front.error = statement_error(result, name);
            if (is_foreign_session(result)) prepares_ = false;
            log::debug("statement refused", {{"reason", statement_failure(result, name)}});
            // What clients send was checked, so somebody has to look at this; without the reason,
            // which quotes values.
            if (front.error->code == Errc::invalid_input) {
                const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
                log::warn("the database refused a value",
                          {{"query", std::string(name)}, {"sqlstate", state}});
            }
        }
    }
}

// The timer is set to the earliest deadline; most calls have the same timeout, so it is rarely
// moved.
void Connection::watch_deadline(Deadline deadline) {
    if (deadline >= watched_) return;
    watched_ = deadline;
    deadline_timer_.expires_at(deadline);
    deadline_timer_.async_wait([weak = weak_from_this()](boost::system::error_code aborted) {
        if (aborted) return;
        if (auto self = weak.lock()) self->check_deadlines();
    });
}

void Connection::check_deadlines() {
    watched_ = Deadline::max();
    const auto now = std::chrono::steady_clock::now();
    Deadline next = Deadline::max();
    bool passed = false;
    for (const auto& pending : pending_) {
        if (pending->deadline > now) {
            next = std::min(next, pending->deadline);
            continue;
        }
        passed = true;
        pending->answer(fail(Errc::timeout, "The database did not respond in time."));
    }
    if (passed) return abandon({Errc::timeout, "The database did not respond in time.", {}});
    if (next != Deadline::max()) watch_deadline(next);
}

void Connection::abandon(const Error& reason) {
    auto lost = std::exchange(lost_, nullptr);
    close();
    if (lost) lost(reason);
}

void Connection::close() {
    deadline_timer_.cancel();
    socket_.give_back();
    handle_.reset();
    for (auto& pending : std::exchange(pending_, {})) {
        pending->answer(pending->error
                            ? fail(std::move(*pending->error))
                            : fail(Errc::unavailable, "The connection to the database was lost."));
    }
}

std::string Connection::last_message() const {
    return std::string("The connection to the database was lost: ") + PQerrorMessage(handle_.get());
}

}  // namespace plimsoll::postgres
