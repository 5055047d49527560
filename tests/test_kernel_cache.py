"""Cached machine code goes when a file changes that kernels are made of, and only then."""

from __future__ import annotations

from kernel_cache import PACKAGES, discard_stale


def test_code_of_changed_sources_goes(tmp_path):
    for package in PACKAGES:
        (tmp_path / package / "__pycache__").mkdir(parents=True)
    helper = tmp_path / "contact" / "helper.py"
    helper.write_text("@kernel\ndef f(x): return x\n")
    (tmp_path / "contact" / "words.py").write_text("WORDS = 1\n")
    cached = tmp_path / "robot" / "__pycache__" / "caller.f-1.py311.1.nbc"
    cached.write_bytes(b"code")
    assert discard_stale(tmp_path) == 1 and not cached.exists()  # nobody knows what it is from
    cached.write_bytes(b"code")
    assert discard_stale(tmp_path) == 0 and cached.exists()
    (tmp_path / "contact" / "words.py").write_text("WORDS = 2\n")
    assert discard_stale(tmp_path) == 0 and cached.exists()
    helper.write_text("@kernel\ndef f(x): return 2 * x\n")
    assert discard_stale(tmp_path) == 1 and not cached.exists()
