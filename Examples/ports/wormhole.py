"""The example of MMWormhole's README."""

import threading

import crosstie

heard = threading.Semaphore(0)

# [port]
with crosstie.Wormhole("group.com.mutualmobile.wormhole") as app:
    app["button"] = {"buttonNumber": 1}

    @app.listen("button")
    def show_number(message: crosstie.Message) -> None:
        print("label", message.value["buttonNumber"])
        heard.release()

    heard.acquire()  # the message was waiting

    app["title"] = {"titleString": "Hello"}
    print("stored", app["title"]["titleString"])

    @app.listen("title")
    def show_title(message: crosstie.Message) -> None:
        print("heard", message.value["titleString"])
        heard.release()

    heard.acquire()
# [end]
