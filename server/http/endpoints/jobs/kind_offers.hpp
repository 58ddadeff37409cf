#pragma once

#include "server/http/endpoints/endpoints.hpp"
#include "server/jobs/offers.hpp"
#include "server/queue/baseline_store.hpp"

// Registers what job kinds offer besides jobs. The arguments must outlive the handlers.
namespace plimsoll::http::endpoints {

using Offers = std::span<const jobs::Offer>;

// An operation for each answer; `pool` computes.
void add_kind_answers(Handlers& handlers, queue::JobStore& store, Offers offers,
                      boost::asio::thread_pool& pool);
// `pool` renders.
void add_job_pictures(Handlers& handlers, queue::JobStore& store, Offers offers,
                      boost::asio::thread_pool& pool);

void add_baselines(Handlers& handlers, queue::JobStore& jobs, queue::BaselineStore& baselines,
                   Offers offers);

}  // namespace plimsoll::http::endpoints
