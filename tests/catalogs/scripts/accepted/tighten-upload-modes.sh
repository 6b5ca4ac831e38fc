#!/bin/bash
: nothing is done
