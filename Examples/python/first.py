"""A bus, a route, and a URL opened on it."""

import crosstie

bus = crosstie.Bus("shop")


@bus.route("app://users/:id")
def show_user(id: int, tab: str = "profile") -> dict[str, object]:
    return {"id": id, "tab": tab}


print(bus.open("app://users/42?tab=posts").value)
