#!/bin/bash
rm /app/fixtures/parts/*
: > /home/user/MANIFEST
