"""A pytest plugin: the collected tests run from the last to the first."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Turn the order round once every other plugin has had its say."""
    items.reverse()
