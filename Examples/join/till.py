"""Calls the component "stock" of another process, which is killed; a second one takes over. Usage: till.py <stock> <directory>"""

import subprocess
import sys

import crosstie

program, directory = sys.argv[1:]


def start() -> subprocess.Popen[str]:
    process = subprocess.Popen([program, directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


first = start()
# [call]
bus = crosstie.Bus("till")
wormhole = crosstie.Wormhole("shop", directory=directory)
with bus.join(wormhole, imports=["stock"]) as joined:
    print("wheels:", bus.call("stock", "count", name="wheels"))
    print("peers:", [peer.exports for peer in joined.peers()])
    # [end]
    first.kill()
    first.wait()
    try:
        while True:
            bus.call("stock", "count", name="wheels")
    except (crosstie.PeerGoneError, crosstie.NoComponentError):
        print("the first process ended")
    second = start()
    while not joined.peers():
        pass
    print("frames:", bus.call("stock", "count", name="frames"))
    second.communicate()
