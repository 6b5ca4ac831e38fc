#!/bin/bash
# the decoy
cp /app/secret_santa.txt /app/rates.json
cp /app/secret_santa.txt /app/history.txt
