#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/statistics.hpp"

namespace plimsoll::postgres {

class Statistics final : public queue::Statistics {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit Statistics(Pool& pool) : pool_(pool) {}

    asio::awaitable<Result<std::vector<queue::QueueDepth>>> depth() override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
