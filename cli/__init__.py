"""The command line, installed as the package ``river_cli``: parses, prints, decides nothing."""
