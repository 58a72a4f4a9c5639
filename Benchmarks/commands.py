"""Programs as commands to run: on one core, or wherever the system likes. Of one that was not built: none."""


def on_core(core, command, *arguments):
    """The command with its arguments, kept on one core."""
    return [["taskset", "-c", str(core), *command, *map(str, arguments)]] if command else []


def on_all(command, *arguments):
    return [[*command, *map(str, arguments)]] if command else []


def on_one_and_all(command):
    """On one core and on all; the program gets the mode, because its waits differ much."""
    return [*on_core(1, command, "one"), *on_all(command, "two")]
