#pragma once

#include "server/http/endpoints/endpoints.hpp"
#include "server/jobs/kind_extras.hpp"
#include "server/teams/team_record_store.hpp"

#include <algorithm>

// Registers what job kinds offer besides jobs. The arguments must outlive the handlers.
namespace plimsoll::http::endpoints {

// Null for a kind that this server does not have, or that offers nothing.
inline const jobs::KindExtras* extras_of(Kinds kinds, std::string_view kind) {
    const auto found = std::ranges::find(kinds, kind, &jobs::Contract::name);
    return found == kinds.end() ? nullptr : found->extras;
}

// An operation for each answer; `pool` computes.
void add_kind_answers(Handlers& handlers, queue::JobStore& store, Kinds kinds,
                      boost::asio::thread_pool& pool);
// `pool` renders.
void add_job_pictures(Handlers& handlers, queue::JobStore& store, Kinds kinds,
                      boost::asio::thread_pool& pool);

void add_baselines(Handlers& handlers, queue::JobStore& jobs, teams::TeamRecordStore& records,
                   Kinds kinds);

}  // namespace plimsoll::http::endpoints
