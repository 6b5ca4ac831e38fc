#!/bin/bash
printf 'name,cpus,memory,rack\ndb1,8,64,-\nmon,2,8,B1\nweb1,4,16,A2\n' > /home/user/inventory.csv
