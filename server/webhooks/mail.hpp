#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/webhooks/webhook.hpp"

#include <string>

namespace boost::asio::ssl {
class context;
}

namespace plimsoll::webhooks {

// The operator's mail server, which takes notices for any receiver. Its own address is not checked.
struct MailServer {
    bool tls = false;  // from the start; else as soon as the server offers it
    std::string host;
    std::string port;
    std::string user;  // with a password it must offer TLS
    std::string password;
    std::string from;  // an email address
};

// "smtp://user:password@mail.example.com:587", "smtps://mail.example.com"; both texts may be empty.
// Errc::invalid_input completes "webhooks.mail_server …".
Result<MailServer> parse_mail_server(const std::string& url, const std::string& from);

// One attempt to hand a notice over. `to` is an email address. Its Message-ID, that of the notice,
// is the same in every attempt.
awaitable<Attempted> send_mail(const MailServer& server, boost::asio::ssl::context& tls,
                               const std::string& to, const Outgoing& notice,
                               const Message& message);

}  // namespace plimsoll::webhooks
