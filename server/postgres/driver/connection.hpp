#pragma once

#include "engine/base/result.hpp"
#include "server/postgres/driver/borrowed_socket.hpp"
#include "server/postgres/driver/connect.hpp"
#include "server/postgres/driver/statement.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

struct pg_result;

namespace plimsoll::postgres {

// One connection in libpq's pipeline mode: batches of several callers are in flight at once, and
// responses arrive in order. Not thread-safe: use it on the executor's one thread.
//
// A batch without a BEGIN of its own is one implicit transaction that commits at its end; its
// caller gets the response after the commit. Only statements marked `prepared` in queries/*.sql
// outlive a batch in the session. Transaction-pooling proxies work: with one that does not track
// prepared statements, one call fails as unavailable, and from then on statements are parsed each
// time.
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
    asio::awaitable<Result<Replies>> run(Batch batch, Deadline deadline);

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
