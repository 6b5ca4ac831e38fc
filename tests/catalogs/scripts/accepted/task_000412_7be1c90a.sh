#!/bin/bash
cp /app/fixtures/outage.log /home/user/postmortem.md
