#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/teams/report_link_store.hpp"

namespace plimsoll::postgres {

class ReportLinkStore final : public teams::ReportLinkStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit ReportLinkStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<teams::ReportLink>> list(TeamId team, std::optional<JobId> job,
                                                std::optional<teams::ReportLinkId> before,
                                                int limit) override;
    Answer<teams::ReportLink> create(Author author, teams::NewReportLink link) override;
    Answer<void> revoke(Author author, teams::ReportLinkId id) override;
    Answer<teams::LinkedReport> open(std::string hash) override;
    Answer<std::vector<queue::ChunkInfo>> chunks(std::string hash) override;
    Answer<std::string> chunk(std::string hash, int seq) override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
