"""The commands, one file each: plain functions that read their input, call one room and print."""
