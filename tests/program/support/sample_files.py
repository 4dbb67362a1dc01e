"""The real files of the sample set, and what its manifest says of each."""

import re

import segy_files
import segy_forms


def manifest(samples) -> list[dict]:
    lines = (samples / "MANIFEST.tsv").read_text().splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:] if line]


def facts_of(row: dict) -> dict[str, str]:
    """The `name=value` pairs of a row's column `expected`, before the first semicolon."""
    return dict(re.findall(r"(\w+)=(\S+)", row["expected"].split(";")[0]))


def kind_of(row: dict) -> str:
    return re.match(r"(?:kind=)?(SEG-Y|SEG-2|SU)", row["expected"]).group(1)


def order_of(row: dict) -> str:
    return {"BE": "big", "LE": "little"}[re.search(r"\b(BE|LE)\b", row["expected"]).group(1)]


def oracle_of(row: dict, path) -> segy_files.Segy:
    """A real file as numpy reads it, divided as the manifest says."""
    facts = facts_of(row)
    if kind_of(row) == "SU":
        like = segy_forms.make_su(1, int(facts["ns"]), order=order_of(row))
        return segy_forms.parse(path.read_bytes(), like)
    like = segy_files.make(
        1, int(facts["ns"]), code=int(facts["fmt"]), order=order_of(row), extended=int(facts["ext"])
    )
    if int(facts["addhdr"]):
        segy_forms.add_headers(like, int(facts["addhdr"]))
    return segy_forms.parse(path.read_bytes(), like)
