"""The picture of the floor, folded from the topics and told to every open page."""
