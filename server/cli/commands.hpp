#pragma once

#include "server/app/settings.hpp"

#include <string>
#include <vector>

// The commands of whoever runs Plimsoll. Each returns the process's exit code.
namespace plimsoll::app {

// Serves until SIGTERM or SIGINT, then drains; a second signal ends at once.
int serve(const Settings& settings);

// Becomes plimsoll-engine: `plimsoll` itself links no OpenCL.
int run_engine(const Settings& settings);

int migrate(const Settings& settings);

struct AdminRequest {
    enum class What {
        sign_in_link,
        list_users,
        add_user,
        list_teams,
        add_team,
        set_member,
        add_token
    };
    What what = What::list_users;
    std::string user;
    std::string team;
    std::string email;
    std::string role = "member";
    std::string base_url;  // empty: that of the server that is known here, if any is
    std::string token_name;
    std::vector<std::string> scopes;
    bool administrator = false;
};

// Works on the database, so that the first administrator and one who is locked out get in.
int run_admin(const Settings& settings, AdminRequest request);

}  // namespace plimsoll::app
