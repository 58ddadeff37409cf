#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {

StoreTest::StoreTest()
    : kind_(unique_test_name()),
      people_(make_people(kind_)),
      server_(io_.get_executor(), Cluster::get().as(postgres::kAppRole)) {
    server_.start();
    must(background_.duties.run("ensure_partitions"));
}

void StoreTest::finish(WorkerProcess& worker, WorkerProcess& host) {
    for (auto* process : {&worker, &host}) {
        const auto claimed = claim(*process);
        must(process->store().complete(process->handle, claimed.fence, done(claimed)));
    }
}

void StoreTest::age(const WorkerProcess& worker) {
    Cluster::get().execute(
        "update plimsoll.worker set seen_at = clock_timestamp() - interval '1 minute' where id = " +
        std::to_string(worker.handle.id));
}

}  // namespace plimsoll::conformance
