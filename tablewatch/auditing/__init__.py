"""Judging files of events of any size: lines are filed by table first, on disk where they do not fit into memory."""
