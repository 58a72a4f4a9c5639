"""The settings of Sphinx. `make docs` runs it on the pages that `build.py` collects in .build/docs/source."""

import os

project = "Crosstie"
author = "the authors of Crosstie"
version = release = os.environ["CROSSTIE_VERSION"]
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
language = "en"
smartquotes = False  # quotes and dashes as they are written

# An anchor for each heading, made as code hosts make it.
myst_heading_anchors = 4
# The pages of the reference list their functions themselves: in the tree of each page they would double the time of a build.
toc_object_entries = False
highlight_language = "none"
primary_domain = None
c_maximum_signature_line_length = 90
cpp_maximum_signature_line_length = 90
python_maximum_signature_line_length = 90

html_theme = "furo"
html_title = f"Crosstie {version}"
html_static_path = [os.path.join(os.environ["CROSSTIE_SITE"], "static")]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_last_updated_fmt = None
# For a summary of each result the search would fetch its page, which a browser refuses to do for a site on the disk.
html_show_search_summary = False
