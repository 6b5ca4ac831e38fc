"""Recipes, bases, layers: how the file system that an environment starts from is made."""
