#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/identity/identity.hpp"

#include <optional>
#include <string>
#include <vector>

// Invitations into teams: links that work once, until they expire or are revoked. Implemented by
// server/postgres. Every change adds an audit row in its transaction.
namespace plimsoll::identity {

using InvitationId = Id<struct InvitationTag>;

inline std::string to_public(InvitationId id) { return public_id("inv", id.value); }

// Open ones.
inline constexpr int kInvitationsPerTeam = 100;

struct Invitation {
    InvitationId id;
    Role role = Role::member;
    std::string email;  // of the only person who may accept it; empty: whoever has the link
    UserId user;        // who invites
    std::string user_name;
    Timestamp created_at;
    Timestamp expires_at;
};

struct NewInvitation {
    Role role = Role::member;
    std::string email;
    std::string hash;  // SHA-256 of its secret
    Timestamp expires_at;
    TokenOrigin origin = {};  // it is void once that token is revoked
};

// What its link shows to whoever has it.
struct InvitationOffer {
    std::string team_name;
    Role role = Role::member;
    std::string email;
    std::string invited_by;
    Timestamp expires_at;
};

// Who accepts.
struct Invitee {
    std::optional<UserId> user = {};  // none: a new one, of this name and address
    std::string name = {};
    // May be empty, and somebody else's: nobody verifies it. An invitation to an address makes a
    // user with that one.
    std::string email = {};
};

struct Joined {
    UserId user;
    TeamId team;
};

class InvitationStore {
  public:
    virtual ~InvitationStore() = default;

    template <class T>
    using Answer = awaitable<Result<T>>;

    // Open invitations, oldest first.
    virtual Answer<std::vector<Invitation>> list(TeamId team) = 0;
    // Errc::conflict: the team has kInvitationsPerTeam.
    virtual Answer<Invitation> create(Author author, NewInvitation invitation) = 0;
    // Errc::not_found: there is no such open invitation.
    virtual Answer<void> revoke(Author author, InvitationId id) = 0;

    // By the secret's hash. Errc::not_found: it is unknown, used, revoked or expired, or its
    // creator may no longer grant the role.
    virtual Answer<InvitationOffer> find(std::string hash) = 0;
    // Consumes the invitation. Also Errc::forbidden: it is for another address; Errc::conflict: the
    // user is a member, or a new one's name or address is taken.
    virtual Answer<Joined> accept(std::string hash, Invitee who, std::string request_id) = 0;
};

}  // namespace plimsoll::identity
