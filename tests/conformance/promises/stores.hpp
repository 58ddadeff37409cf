#pragma once

#include "server/identity/invitation_store.hpp"
#include "server/identity/password_store.hpp"
#include "server/identity/provider_store.hpp"
#include "server/identity/store.hpp"
#include "server/queue/dataset.hpp"
#include "server/queue/share_store.hpp"
#include "server/queue/store.hpp"
#include "server/schedules/store.hpp"
#include "server/teams/team_record_store.hpp"
#include "server/webhooks/store.hpp"
#include "tests/conformance/worker_process.hpp"

#include <memory>
#include <string>

namespace plimsoll::conformance {

// The API's stores in one implementation, with the helpers that promises need.
class Stores {
  public:
    virtual ~Stores() = default;

    virtual queue::JobStore& jobs() = 0;
    virtual queue::DatasetStore& datasets() = 0;
    virtual queue::ShareStore& shares() = 0;
    virtual teams::TeamRecordStore& team_records() = 0;
    virtual identity::IdentityStore& identity() = 0;
    virtual identity::PasswordStore& passwords() = 0;
    virtual identity::InvitationStore& invitations() = 0;
    virtual identity::ProviderStore& providers() = 0;
    virtual schedules::ScheduleStore& schedules() = 0;
    virtual webhooks::WebhookStore& webhooks() = 0;

    // A user and a team of this name, which the user owns.
    virtual People make_people(const std::string& name) = 0;
    // A running device of class cpu, "cpu:0" of a node named like the kind.
    virtual void add_device() = 0;
    // The attempts to give a password, and the links that set one, are as if so long had passed.
    virtual void age_passwords(std::chrono::seconds time) = 0;
    // Claims the tasks of all jobs of the kind.
    virtual void start_jobs() = 0;
    // Completes the claimed tasks, or otherwise those that can be claimed: all succeed, or all fail
    // permanently.
    virtual void finish_jobs(bool well) = 0;
};

// Jobs have this kind, which no other test uses.
std::unique_ptr<Stores> postgres_stores(asio::io_context& io, const std::string& kind);
std::unique_ptr<Stores> memory_stores(asio::io_context& io, const std::string& kind);

}  // namespace plimsoll::conformance
