// A handler of NBus and an application that shares with it.
#include <crosstie.hpp>
#include <iostream>

// [port] Shows a sheet with the message. The user's action then is `user`.
static void share(const crosstie::request &request, crosstie::status user) {
    const auto options = request.user_info(), message = request.params();
    const auto window = options[CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER].as<std::string>().value_or("phone");
    const auto source = options[CTIE_OPTION_SYSTEM_SOURCE_VIEW].as<std::string>();
    if (window == "tablet" && !source) return request.refuse(CTIE_E_PARAM, "no source view"); // for the popover
    std::cout << window << " " << source.value_or("sheet") << ":";
    for (const char *field : {"title", "description", "text", "link"}) {
        if (auto item = message[field].as<std::string>()) std::cout << " [" << *item << "]";
    }
    if (auto data = message["data"].as<crosstie::bytes_view>()) std::cout << " [" << data->size << " bytes]";
    std::cout << "\n";
    if (user != CTIE_OK) return request.refuse(user);
    request.reply();
}
// [end]

int main() {
    crosstie::status user = CTIE_OK;
    auto bus = crosstie::bus::make();

    // [port]
    auto handler = bus.add_provider(crosstie::provider("system") // it is installed, and supported
                                        .endpoint(CTIE_ENDPOINT_SYSTEM_ACTIVITY)
                                        .share([&](crosstie::request &request) { share(request, user); }));
    auto share_to = [&](const char *endpoint, crosstie::value message, crosstie::value beside = nullptr) {
        crosstie::request_options options;
        options.user_info = std::move(beside);
        auto response = bus.try_share(endpoint, message, std::move(options));
        std::cout << (response ? "shared" : crosstie::status_name(response.status())) << "\n";
    };
    const crosstie::value text{{"identifier", CTIE_SHARE_KIND_TEXT}, {"text", "Lunch at noon"}};
    const crosstie::value page{{"identifier", CTIE_SHARE_KIND_WEB_PAGE}, {"link", "https://menu.example/"}};
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY, text);
    user = CTIE_E_USER_CANCELLED;
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY,
             {{"identifier", CTIE_SHARE_KIND_IMAGE}, {"data", crosstie::bytes_view{"GIF89a", 6}},
              {"title", "A menu"}});
    user = CTIE_E_UNKNOWN;
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY, page, {{CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER, "tablet"}});
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY, page,
             {{CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER, "tablet"}, {CTIE_OPTION_SYSTEM_SOURCE_VIEW, "button"}});
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY, {{"identifier", CTIE_SHARE_KIND_MINI_PROGRAM}});
    share_to(CTIE_ENDPOINT_WECHAT_FRIEND, text);
    // [end]
}
