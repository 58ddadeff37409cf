#pragma once

#include "server/http/api/services.hpp"

// The kinds' own operations, besides the jobs, estimates and offers that the server provides for
// all kinds.
namespace plimsoll::jobs {

using http::Services;

// Adds the handlers of every kind that has a folder `rest/`.
void add_operations(http::Handlers& handlers, const Services& services);

}  // namespace plimsoll::jobs
