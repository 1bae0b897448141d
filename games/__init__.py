"""The rulebook as data: cards, decks, Table of Play, ten games, settlement and exact odds. Knows no other room."""
