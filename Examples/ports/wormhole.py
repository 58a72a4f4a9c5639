"""The example of MMWormhole's README."""

import threading

import crosstie

received = threading.Semaphore(0)

# [port]
with crosstie.Wormhole("group.com.mutualmobile.wormhole") as app:
    app["button"] = {"buttonNumber": 1}

    @app.listen("button")
    def show_number(message: crosstie.Message) -> None:
        print("label", message.value["buttonNumber"])
        received.release()

    received.acquire()  # the message was waiting

    app["title"] = {"titleString": "Hello"}
    print("stored", app["title"]["titleString"])

    @app.listen("title")
    def show_title(message: crosstie.Message) -> None:
        print("received", message.value["titleString"])
        received.release()

    received.acquire()
# [end]
