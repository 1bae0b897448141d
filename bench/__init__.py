"""The measurements: one file a question, each prints its figures and their ratios; never part of the tests."""
