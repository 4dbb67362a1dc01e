"""Sphinx makes the site of the pages in docs/ and of the package's docstrings; script/site runs it."""

import re
from pathlib import Path

import sill
from sill import _sill
from sphinx.addnodes import pending_xref
from sphinx.ext.napoleon import Config, GoogleDocstring

project = "Sill"
copyright = "the authors of Sill"
release = version = sill.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["site", "notebooks/README.md"]
html_theme = "furo"
html_title = "Sill"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]

# Links and anchors are those of Git hosts, to headings of the first four levels.
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # steps of heading levels; abridged code

# Notebooks are executed each time, in a folder of their own. An exception fails the build.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings state types, shapes and units
default_role = "py:obj"  # `Survey.where` in docstrings is a link

OPERATIONS = [name for name in _sill.operations() if name != "apply"]  # which has a docstring
COMMANDS = [name.replace("-", "_") for name in _sill.commands()]


def escaped(text):
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def described(operation):
    """Returns the description of an operation in reStructuredText; parameters as a list of definitions."""
    terms = ["scope", "reads", "writes"]
    for each in operation["parameters"]:
        key = each["name"] if each["is_flag"] else f"{each['name']}="
        terms.append((f"[{key}]" if each["name"] in operation["positionals"] else key) + each["form"])
    yield from (operation["summary"] + ".", "")
    for line in operation["description"].splitlines()[1:]:
        line = line.strip()
        term = next((term for term in terms if line.startswith(f"{term} ")), None)
        if term:
            yield from (f"``{term}``", f"   {escaped(line.removeprefix(term).strip())}", "")
        elif line.startswith("example: "):
            yield f"Example: ``{line.removeprefix('example: ')}``"
        else:
            yield escaped(line)


def process_docstring(app, what, name, obj, options, lines):
    """Makes reStructuredText of docstrings, and of what is made from the tables of operations and commands."""
    last = name.rpartition(".")[2]
    if name == f"sill.Flow.{last}" and last in OPERATIONS:
        lines[:] = described(_sill.operations()[last])
    elif name == f"sill.{last}" and last in COMMANDS:
        command = last.replace("_", "-")
        lines[:] = [f"{escaped(lines[0])}: the options of `sill {command} <commands.html#sill-{command}>`__."]
    elif what != "property":  # whose first words, before a colon, would be taken for a type
        lines[:] = GoogleDocstring(lines, Config(napoleon_use_rtype=False)).lines()


def skip_operations(app, what, name, obj, skip, options):
    return skip or name in OPERATIONS


def complete(app, docname, source):
    """Lists operations and commands in the reference, and the pages of folders below their README."""
    if docname == "reference":
        operations = "\n".join(f".. automethod:: sill.Flow.{name}" for name in OPERATIONS)
        commands = "\n".join(f".. autofunction:: sill.{name}" for name in COMMANDS)
        source[0] = source[0].replace("{operations}", operations).replace("{commands}", commands)
    elif docname in ("adr/README", "measurements/README"):
        source[0] += "\n```{toctree}\n:glob:\n:hidden:\n\n*\n```\n"


def show_as_text(app, doctree):
    """Shows links to pages of the repository that are not in docs/ as texts."""
    for node in list(doctree.findall(pending_xref)):
        target = Path(f"{node['reftarget']}.md")
        if node.get("refdomain") == "doc" and target.is_absolute() and target.is_file():
            node.replace_self(node.children)


def setup(app):
    app.connect("autodoc-process-docstring", process_docstring)
    app.connect("autodoc-skip-member", skip_operations)
    app.connect("source-read", complete)
    app.connect("doctree-read", show_as_text)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
