"""PNG files of ours say what was drawn, to whoever reads PNG."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from sole.pictures.png import encode_png


@given(arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([3, 4]))))
def test_another_reader_finds_the_same_pixels(pixels):
    read = Image.open(io.BytesIO(encode_png(pixels)))
    read.load()  # checks the sums of all chunks
    assert (read.format, read.mode) == ("PNG", "RGB" if pixels.shape[2] == 3 else "RGBA")
    np.testing.assert_array_equal(np.asarray(read), pixels)


def test_a_flat_picture_is_small():
    pixels = np.full((1060, 1600, 3), 255, np.uint8)
    # deflate packs at most 258 bytes into 2 bits, and we ask for a tenth of that
    assert len(encode_png(pixels)) < pixels.size / 100


@pytest.mark.parametrize("place", [20, 30, 60])
def test_a_spoiled_byte_is_noticed(place):
    data = bytearray(encode_png(np.arange(300, dtype=np.uint8).reshape(10, 10, 3)))
    data[place] ^= 1
    with pytest.raises((OSError, SyntaxError)):
        Image.open(io.BytesIO(bytes(data))).load()
