#!/bin/sh
# What the installer of uv would leave behind, with the shims in place of uv.
mkdir -p "$HOME/.local/bin" || exit 1
ln -sf /opt/river-tests/shims/uv "$HOME/.local/bin/uv"
ln -sf /opt/river-tests/shims/uvx "$HOME/.local/bin/uvx"
printf 'export PATH="$HOME/.local/bin:$PATH"\n' > "$HOME/.local/bin/env"
