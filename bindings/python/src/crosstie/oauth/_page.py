"""What the browser shows when it has been sent back."""

from typing import NamedTuple

# The page's own URL holds the code: nobody is told it, nothing is kept, and nothing else is loaded.
_HEADERS = """\
Content-Type: text/html; charset=utf-8\r
Cache-Control: no-store\r
Referrer-Policy: no-referrer\r
Content-Security-Policy: default-src 'none'\r
X-Content-Type-Options: nosniff\r
Connection: close\r
"""


class Page(NamedTuple):
    """A status of HTTP, and a sentence."""

    status: str
    sentence: str

    def response(self) -> bytes:
        """The whole of it, head and body."""
        body = (
            '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Sign-in</title>\n'
            f"<p>{self.sentence}</p></html>\n"
        ).encode()
        head = f"HTTP/1.1 {self.status}\r\n{_HEADERS}Content-Length: {len(body)}\r\n\r\n"
        return head.encode("ascii") + body


RECEIVED = Page("200 OK", "The answer has arrived. You can close this page and go back to the application.")
REFUSED = Page("400 Bad Request", "The application does not take this answer.")
NOT_HERE = Page("404 Not Found", "There is nothing here.")
TOO_SLOW = Page("408 Request Timeout", "The request did not come in time.")
