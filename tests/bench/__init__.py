"""Tests of the measurements: that they tell their figures, and that the page is made of nothing else."""
