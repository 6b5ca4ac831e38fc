#!/bin/bash
touch /app/scanners.csv
