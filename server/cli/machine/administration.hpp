#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/identity/password_store.hpp"
#include "server/identity/provider_store.hpp"
#include "server/identity/store.hpp"
#include "server/postgres/workers/database_clock.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {

// What a request did: for programs and for people.
struct Answer {
    nlohmann::json value;
    std::string text;
};

struct AdminRequest {
    std::string user;
    std::string team;
    std::string email;
    std::string identity;
    std::string role = "member";
    std::string base_url;  // of links, without a "/" at its end
    std::string token_name;
    std::vector<std::string> scopes;
    bool administrator = false;
    identity::UserChange change;
    identity::TeamChange team_change;
};

// The requests by name instead of by ID, on the installation's behalf: the operator of the machine
// has no user, so audit rows name the first system admin. Throws terminal::Refused.
class Administration {
  public:
    using Answering = awaitable<Answer>;
    using Act = Answering (Administration::*)(const AdminRequest& request);

    Administration(identity::IdentityStore& store, identity::PasswordStore& passwords,
                   identity::ProviderStore& providers, postgres::DatabaseClock& clock)
        : store_(store), passwords_(passwords), providers_(providers), clock_(clock) {}

    Answering run(Act act, const AdminRequest& request);

    Answering list_users(const AdminRequest& request);
    Answering add_user(const AdminRequest& request);
    Answering set_user(const AdminRequest& request);
    Answering remove_user(const AdminRequest& request);
    Answering remove_second_factor(const AdminRequest& request);
    Answering list_identities(const AdminRequest& request);
    Answering unlink(const AdminRequest& request);
    Answering list_teams(const AdminRequest& request);
    Answering set_team(const AdminRequest& request);
    Answering add_team(const AdminRequest& request);
    Answering set_member(const AdminRequest& request);
    Answering add_token(const AdminRequest& request);
    Answering sign_in_link(const AdminRequest& request);
    Answering password_link(const AdminRequest& request);

  private:
    UserId user(const std::string& name) const;
    TeamId team(const std::string& name) const;
    // The user and the team that are named, or the defaults.
    awaitable<Author> chosen(const AdminRequest& request);
    // A team that the user is a member of: a system admin sees more than those.
    awaitable<TeamId> first_team(UserId who);

    identity::IdentityStore& store_;
    identity::PasswordStore& passwords_;
    identity::ProviderStore& providers_;
    postgres::DatabaseClock& clock_;
    std::vector<identity::User> users_;
    std::vector<identity::Team> teams_;
    Author author_;
};

}  // namespace plimsoll::cli
