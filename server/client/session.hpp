#pragma once

#include "server/client/api_client.hpp"

namespace plimsoll::client {

// The client of the server that `plimsoll login` signed in to. Errc::unauthenticated if there is
// none.
Result<ApiClient> signed_in();

}  // namespace plimsoll::client
