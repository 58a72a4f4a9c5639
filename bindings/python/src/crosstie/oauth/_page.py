"""The pages that the browser shows after the redirect."""

from typing import NamedTuple

# The page's own URL contains the code: the page sends no referrer, is not cached, and loads nothing else.
_HEADERS = """\
Content-Type: text/html; charset=utf-8\r
Cache-Control: no-store\r
Referrer-Policy: no-referrer\r
Content-Security-Policy: default-src 'none'\r
X-Content-Type-Options: nosniff\r
Connection: close\r
"""


class Page(NamedTuple):
    """An HTTP status, and a sentence."""

    status: str
    sentence: str

    def response(self) -> bytes:
        """Return the whole response, head and body."""
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
