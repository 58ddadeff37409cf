#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/postgres/driver/connect.hpp"
#include "server/postgres/driver/statement.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

// What stores make of the rows of a statement.

struct pg_result;

namespace plimsoll::postgres {

// Lets Asio wait on a socket owned by libpq, which closes it: the descriptor is released unclosed.
class BorrowedSocket {
  public:
    using Wait = boost::asio::posix::stream_descriptor::wait_type;
    static constexpr Wait readable = boost::asio::posix::stream_descriptor::wait_read;
    static constexpr Wait writable = boost::asio::posix::stream_descriptor::wait_write;

    BorrowedSocket(const boost::asio::any_io_executor& executor, int socket)
        : descriptor_(executor, socket) {}
    BorrowedSocket(const BorrowedSocket&) = delete;
    BorrowedSocket& operator=(const BorrowedSocket&) = delete;
    ~BorrowedSocket() { give_back(); }

    template <class Token>
    auto async_wait(Wait what, Token&& token) {
        return descriptor_.async_wait(what, std::forward<Token>(token));
    }

    // Ends all waits with operation_aborted. Idempotent.
    void give_back() {
        if (descriptor_.is_open()) descriptor_.release();
    }

  private:
    boost::asio::posix::stream_descriptor descriptor_;
};

template <class T>
Result<std::vector<T>> every(Result<Rows> rows, T (*read)(const Row&)) {
    if (!rows) return fail(std::move(rows.error()));
    std::vector<T> items;
    for (const Row row : *rows) items.push_back(read(row));
    return items;
}

template <class T>
Result<T> first(Result<Rows> rows, T (*read)(const Row&), Error if_none = {}) {
    if (!rows) return fail(std::move(rows.error()));
    if (rows->empty()) return fail(std::move(if_none));
    return read((*rows)[0]);
}

// The number that a statement says it has processed.
inline int to_done(const Row& row) { return row.get<int>("done"); }

// Only whether there are some.
inline Result<void> found(Result<Rows> rows, Error if_none) {
    if (!rows) return fail(std::move(rows.error()));
    if (rows->empty()) return fail(std::move(if_none));
    return {};
}

inline Result<void> done(Result<Rows> rows) {
    if (!rows) return fail(std::move(rows.error()));
    return {};
}

inline Result<Rows> last(Result<Replies> replies) {
    if (!replies) return fail(std::move(replies.error()));
    return std::move(replies->back());
}

// "The team has 20 webhooks, the maximum. Delete one first."
inline Error team_limit_reached(int max, std::string_view things, std::string_view end = "Delete") {
    return {Errc::conflict,
            "The team has " + std::to_string(max) + " " + std::string(things) + ", the maximum. " +
                std::string(end) + " one first.",
            {}};
}

// One connection in libpq's pipeline mode: batches of several callers are in flight at once, and
// responses arrive in order. Not thread-safe: use it on the executor's one thread.
//
// A batch without a BEGIN of its own is one implicit transaction that commits at its end, or
// several (Statement::begins_transaction), each of which runs even if one before it failed; its
// caller gets the response after the last commit, or the first failure. Only statements marked
// `prepared` in queries/*.sql outlive a batch in the session. Transaction-pooling proxies work:
// with one that does not track prepared statements, one call fails as unavailable, and from then on
// statements are parsed each time.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    // `lost` is called once, with the reason, if the connection breaks or is abandoned; not by
    // close().
    using Lost = std::function<void(const Error& reason)>;
    using Notified = std::function<void(std::string_view channel, std::string_view payload)>;

    static std::shared_ptr<Connection> over(asio::any_io_executor executor, Handle handle,
                                            Lost lost);
    ~Connection();

    // Runs a batch. If a deadline passes, the connection is abandoned, because responses arrive in
    // order: that caller gets Errc::timeout, the others Errc::unavailable, and whether their
    // batches took effect is unknown. A cancelled caller returns immediately; its batch still runs.
    awaitable<Result<Replies>> run(Batch batch, Deadline deadline);

    // Called for notifications on channels that a batch LISTENs to.
    void on_notification(Notified notified) { notified_ = std::move(notified); }

    std::size_t under_way() const { return pending_.size(); }
    bool is_open() const { return handle_ != nullptr; }
    void close();

  private:
    struct Pending;
    struct Completion;
    template <class Handler>
    struct CompletionOf;

    Connection(asio::any_io_executor executor, Handle handle, Lost lost);

    void start(Batch batch, Deadline deadline, std::unique_ptr<Completion> completion,
               std::shared_ptr<Pending>& started);
    bool prepare(const Batch& batch, Deadline deadline);
    bool send(const Batch& batch);
    void schedule_flush();
    void flush();
    void wait_readable();
    void drain();
    void take(Pending& front, pg_result* result);
    void watch_deadline(Deadline deadline);
    void check_deadlines();
    void abandon(const Error& reason);
    std::string last_message() const;

    asio::any_io_executor executor_;
    Handle handle_;
    std::string process_;  // of the server, as it said at the beginning
    BorrowedSocket socket_;
    asio::steady_timer deadline_timer_;
    Deadline watched_ = Deadline::max();
    std::deque<std::shared_ptr<Pending>> pending_;
    std::unordered_set<std::string_view> prepared_;  // statements prepared in the session, by name
    bool prepares_ = true;                           // false once a pooling proxy was detected
    bool flush_scheduled_ = false;
    Lost lost_;
    Notified notified_;
};

}  // namespace plimsoll::postgres
