"""Shared by the tests of the tool."""

import signal

# A shell that starts the tests in the background has Ctrl-C ignored, and the tool would respect that.
signal.signal(signal.SIGINT, signal.default_int_handler)
