#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/report_link_store.hpp"

namespace plimsoll::postgres {

class ReportLinkStore final : public queue::ReportLinkStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit ReportLinkStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<queue::ReportLink>> list(TeamId team, std::optional<JobId> job,
                                                std::optional<queue::ReportLinkId> before,
                                                int limit) override;
    Answer<queue::ReportLink> get(TeamId team, queue::ReportLinkId id) override;
    Answer<queue::ReportLink> create(Author author, queue::NewReportLink link) override;
    Answer<void> revoke(Author author, queue::ReportLinkId id) override;
    Answer<queue::LinkedReport> open(std::string hash) override;
    Answer<std::vector<queue::ChunkInfo>> chunks(std::string hash) override;
    Answer<std::string> chunk(std::string hash, int seq) override;

  private:
    boost::asio::awaitable<Result<Replies>> run(TeamId team, Statement statement);

    Pool& pool_;
};

}  // namespace plimsoll::postgres
