"""The same work in other hands: decode, judge and insert, called by what one would take in place of Faust."""
