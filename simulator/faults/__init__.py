"""What can go wrong: for each finding code the ways to bring it about, each with every consequence."""
