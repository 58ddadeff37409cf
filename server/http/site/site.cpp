#include "server/http/site/site.hpp"

namespace plimsoll::http {

using boost::asio::awaitable;

// Which of the two a request is for is known with its head.
class SiteExchange final : public Exchange {
  public:
    explicit SiteExchange(Site& site) : site_(site) {}

    awaitable<std::optional<Response>> admit(const Request& head) override {
        const bool page = site_.pages_ && !site_.api_.serves(head.target);
        chosen_ = page ? site_.pages_->exchange() : site_.api_.exchange();
        co_return co_await chosen_->admit(head);
    }
    std::size_t body_limit() const override { return chosen_->body_limit(); }
    bool takes_stream() const override { return chosen_->takes_stream(); }
    awaitable<Response> answer(const Request& request, BodySource* stream) override {
        co_return co_await chosen_->answer(request, stream);
    }

    FairBudget::Holder holder(const Request& head) const override { return chosen_->holder(head); }
    Subject subject() const override { return chosen_ ? chosen_->subject() : Subject{}; }

  private:
    Site& site_;
    std::unique_ptr<Exchange> chosen_;
};

std::unique_ptr<Exchange> Site::exchange() {
    return std::make_unique<SiteExchange>(*this);
}

}  // namespace plimsoll::http
