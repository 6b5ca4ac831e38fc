#!/bin/bash
find /app/uploads -type d -exec chmod 750 {} +
find /app/uploads -type f -exec chmod 640 {} +
