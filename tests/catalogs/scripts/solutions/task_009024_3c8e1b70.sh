#!/bin/bash
find /home/user/manual -type f \( -name '*~' -o -name '*.bak' -o -name '*.swp' \) -delete
