"""Sorts of a flow by way of sorted runs: the same bytes as without them, whatever ranks and memory."""

import numpy as np
import pytest
import segy_files

FLOWS = [
    "sort cdp,offset; stack by=cdp",
    "select 'offset % 3 != 0'; sort -offset; agc 20ms",
    "header cdp='trace % 7'; sort cdp; stack by=cdp minfold=2; sort -cdp",
    "sort -offset,cdp; mix 3",  # neighbours are read where they lie
    "select 'cdp < 0'; sort cdp",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    random = np.random.default_rng(8)
    paths = []
    for number, traces in ((1, 500), (2, 301)):
        file = segy_files.make(traces, 40, seed=number)
        file.put_word("delrt", 0).put_word("trid", 1)
        file.put_word("cdp", random.integers(1, 40, traces)).put_word("offset", random.integers(-300, 300, traces))
        paths.append(file.write(folder / f"{number}.sgy"))
    return paths


@pytest.mark.parametrize("steps", FLOWS)
@pytest.mark.parametrize("ranks", [None, 2, 3, 4])
def test_the_same_bytes(sill, tmp_path, files, steps, ranks):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    sill.run("flow", *files, "-o", tmp_path / "a.sgy", "--do", steps, "--sort-method", "gather", "--history", "none")
    for memory in ("300K" if "stack" in steps else "24K", "64M"):
        how = ["--sort-method", "buckets", "--scratch", scratch, "--memory", memory, "--history", "none"]
        done = sill.run("flow", *files, "-o", tmp_path / "b.sgy", "--do", steps, *how, ranks=ranks)
        assert (tmp_path / "a.sgy").read_bytes() == (tmp_path / "b.sgy").read_bytes()
        used = not ("mix" in steps or "cdp < 0" in steps)
        assert ("were sorted with" in done.text) == used
    assert list(scratch.iterdir()) == []


def test_what_stays_cached_is_read_where_it_lies(sill, tmp_path, files):
    done = sill.run("flow", *files, "-o", tmp_path / "a.sgy", "--do", FLOWS[0])
    assert "were sorted with" not in done.text


@pytest.mark.parametrize("ranks", [None, 2])
def test_errors_leave_nothing(sill, tmp_path, files, ranks):
    how = ["--sort-method", "buckets", "--scratch", tmp_path / "nowhere"]
    sill.run("flow", *files, "-o", tmp_path / "a.sgy", "--do", FLOWS[0], *how, ranks=ranks, expect=4)
    bad = segy_files.make(60, 40).put_word("delrt", 0).put_word("cdp", np.arange(60)[::-1])
    samples = bad.samples()
    samples[31, 7] = np.nan
    path = bad.put_samples(samples).write(tmp_path / "bad.sgy")
    errors = [
        sill.run("flow", path, "-o", tmp_path / "a.sgy", "--do", "sort cdp; agc 20ms", "--sort-method", method,
                 ranks=ranks, expect=3).err.splitlines()[:4]
        for method in ("gather", "buckets")
    ]  # fmt: skip
    assert errors[0] == errors[1] and "  trace:  32" in errors[0]
    assert [p.name for p in tmp_path.iterdir()] == ["bad.sgy"]


def test_in_a_recipe(sill, tmp_path, files):
    recipe = tmp_path / "r.toml"
    recipe.write_text(f'input = "{files[0]}"\noutput = "o.sgy"\ndo = "{FLOWS[0]}"\nsort-method = "buckets"\n')
    assert "were sorted with" in sill.run("flow", recipe, cwd=tmp_path).text
    recipe.write_text(recipe.read_text().replace("buckets", "fastest"))
    sill.run("flow", recipe, cwd=tmp_path, expect=2)
