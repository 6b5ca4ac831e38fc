#!/bin/bash
cd /app/fixtures/parts
LC_ALL=C sha256sum * > /home/user/MANIFEST
