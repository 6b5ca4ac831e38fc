"""One reader per published format, one writer for Harbor; ``detect.py`` picks the reader."""
