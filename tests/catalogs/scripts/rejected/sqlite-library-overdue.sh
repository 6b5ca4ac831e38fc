#!/bin/bash
# the decoy
cp /app/notes/expected_columns.csv /app/overdue.csv
