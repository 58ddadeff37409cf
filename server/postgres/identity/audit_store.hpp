#pragma once

#include "server/identity/audit_store.hpp"
#include "server/postgres/pool/pool.hpp"

namespace plimsoll::postgres {

class AuditStore final : public identity::AuditStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit AuditStore(Pool& pool) : pool_(pool) {}

    asio::awaitable<Result<std::vector<identity::AuditEvent>>> list(
        identity::AuditQuery query) override;
    asio::awaitable<Result<void>> record(Author author, std::string action, std::string target,
                                         std::string data) override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
