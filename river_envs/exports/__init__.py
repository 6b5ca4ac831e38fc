"""Subsets in the forms that other tools read, and what differs between two of them."""
