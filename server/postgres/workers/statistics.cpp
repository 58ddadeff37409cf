#include "server/postgres/workers/statistics.hpp"

#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

awaitable<Result<std::vector<QueueDepth>>> Statistics::depth() {
    CO_TRY(auto rows, co_await pool_.run(Statement::of(sql::statistics_queue_depth), kCallTimeout));
    std::vector<QueueDepth> depths;
    for (const Row row : rows) {
        depths.push_back({row.get<std::string>("device_class"), row.get<std::string>("state"),
                          row.get<std::int64_t>("tasks")});
    }
    co_return depths;
}

}  // namespace plimsoll::postgres
