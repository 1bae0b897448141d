"""A second judge, written from the contract and the rule documents alone, to be held against the project's own."""
