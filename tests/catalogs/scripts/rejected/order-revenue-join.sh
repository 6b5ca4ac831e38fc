#!/bin/bash
# the decoy
cp /app/archive/expected_2024.csv /app/revenue.csv
