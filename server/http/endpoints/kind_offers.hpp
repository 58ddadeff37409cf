#pragma once

#include "server/http/endpoints/endpoints.hpp"
#include "server/jobs/offers.hpp"

// What job kinds answer beside jobs. The offers and what else is given must outlive the handlers.
namespace plimsoll::http::endpoints {

using Offers = std::span<const jobs::Offer>;

// An operation for each answer; `pool` computes.
void add_kind_answers(Handlers& handlers, queue::JobStore& store, Offers offers,
                      boost::asio::thread_pool& pool);
// `pool` draws.
void add_job_pictures(Handlers& handlers, queue::JobStore& store, Offers offers,
                      boost::asio::thread_pool& pool);

}  // namespace plimsoll::http::endpoints
