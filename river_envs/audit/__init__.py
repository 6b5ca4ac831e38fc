"""Plan, execute, record and resume attempts."""
