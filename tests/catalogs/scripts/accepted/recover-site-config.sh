#!/bin/bash
cp /app/backup/site.conf.golden /app/site.conf
