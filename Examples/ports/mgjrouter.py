"""The application of MGJRouter's README."""

import queue
import threading

import crosstie

bus = crosstie.Bus()

# [port]
TEMPLATE_URL = "mgj://search/:keyword"


@bus.route("mgj://foo/bar")
@bus.route("mgj://category/travel")
def log_user(request: crosstie.Request) -> None:
    print("user", request.user_info.get("user_id", 0))


@bus.route("mgj://category/家居")
def log_url(request: crosstie.Request) -> None:
    print("opened", request.url)


bus.open("mgj://foo/bar")
bus.open("mgj://category/家居")
bus.open("mgj://category/travel", user_info={"user_id": 1900})


@bus.route("mgj://search/:query")
def search(query: str, color: str) -> None:
    print(f"query {query}, color {color}")


bus.open("mgj://search/bicycle?color=red")

bus.routes.add("mgj://", log_url)
bus.open("mgj://search/travel/china?has_travelled=0")

shown: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()
done = threading.Event()


@bus.route("mgj://detail")
def show_detail(request: crosstie.Request) -> object:
    print("matched, and done in a while")
    shown.put(request.defer())
    return request


def opened(_: crosstie.Response) -> None:
    print("open is done")
    done.set()


bus.open_async("mgj://detail", completion=opened)
shown.get().reply()  # the page is there
done.wait()


@bus.route(TEMPLATE_URL, replace=True)
def log_keyword(keyword: str) -> None:
    print("keyword", keyword)


bus.open(bus.routes.generate(TEMPLATE_URL, ["Hangzhou"]))


@bus.route("mgj://search_top_bar")
def make_top_bar() -> str:
    return "a search bar"


print("got", bus.open("mgj://search_top_bar").value)
# [end]
