# The final state: the inventory exists.
import os


def test_inventory_exists():
    assert os.path.exists("/home/user/inventory.csv"), "inventory.csv was not created"
