"""Changes of what the house is watched by: proposed by one administrator, made by another, kept with both names."""
