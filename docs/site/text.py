"""Text in the markup of Sphinx's pages."""

import re


def escape(text):
    """Plain text, so that no character of it is markup."""
    return re.sub(r"([\\*`|_])", r"\\\1", re.sub(r"::(?=\s|$)", r":\\:", text))


def code(text):
    """Inline code."""
    text = text.strip()
    return f"``{text}``" if text and "`" not in text else escape(text)


def spaced(text):
    """The text with an escaped space where code touches a word: markup ends at a space or at punctuation."""
    parts = re.split(r"(``[^`]+``)", text)
    for number in range(1, len(parts), 2):
        before, after = parts[number - 1][-1:], parts[number + 1][:1]
        if before and not before.isspace() and before not in "'\"([{<-/:":
            parts[number] = "\\ " + parts[number]
        if after and not after.isspace() and after not in "'\")]}>-/\\:.,;!?":
            parts[number] += "\\ "
    return "".join(parts)


def title(text, line="="):
    return f"{escape(text)}\n{line * (2 * len(text) + 2)}\n"


def indent(text, by="   "):
    return "\n".join(by + line if line.strip() else "" for line in text.split("\n"))


def code_block(text, language="none"):
    return f".. code-block:: {language}\n\n{indent(text.rstrip())}\n"


def toctree(pages, caption=None):
    head = f".. toctree::\n   :maxdepth: 1\n" + (f"   :caption: {caption}\n" if caption else "")
    return head + "\n" + "\n".join(f"   {page}" for page in pages) + "\n"
