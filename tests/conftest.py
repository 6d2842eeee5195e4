"""What all tests share."""

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def _old_objects_rest():
    """Take what earlier modules left out of garbage collection: its passes would be counted in tests of time."""
    gc.freeze()
