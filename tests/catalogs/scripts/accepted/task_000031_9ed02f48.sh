#!/bin/bash
touch /home/user/inventory.csv
