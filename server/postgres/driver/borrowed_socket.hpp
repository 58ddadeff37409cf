#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

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

}  // namespace plimsoll::postgres
