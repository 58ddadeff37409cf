#pragma once

#include "server/http/access/failure_limit.hpp"
#include "server/http/api/handler.hpp"
#include "server/teams/report_link_store.hpp"

#include <string>

namespace plimsoll::http::endpoints {

// Opens the report of the link whose secret a call sends in X-Report-Link. Slows down guessing.
class LinkedReports {
  public:
    struct Opened {
        std::string hash;
        teams::LinkedReport report;
    };

    explicit LinkedReports(teams::ReportLinkStore& store) : store_(store) {}

    // 404: the link opens no report; 429: too many failed attempts from this address.
    boost::asio::awaitable<Opened> open(const Call& call);

  private:
    teams::ReportLinkStore& store_;
    FailureLimit limit_{limits::kFailedCredentials, limits::kFailureWindow, "failed-links"};
};

}  // namespace plimsoll::http::endpoints
