#!/bin/bash
cd /app
sed -e '/^<<<<<<</,/^=======/d' -e '/^>>>>>>>/d' -e '/^#/d' -e 's/ *= */=/' proxy.env | tac | sort -t= -k1,1 -u -s > /tmp/clean
cat /tmp/clean > proxy.env
rm /tmp/clean
