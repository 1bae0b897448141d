"""What happens at a table out of the ordinary and within the rules: rulings, incidents, void rounds."""
