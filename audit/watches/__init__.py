"""Statistical watches over many rounds: pure folds over the summaries of a table's shoes, run at the end of a shoe.

``summarise.summaries`` makes the summaries from a table's facts and verdicts, ``watch.watch_shoe`` folds one table's
shoes, ``players.watch_players`` the players of all tables. Every rate in ``settings.WatchSettings`` has one meaning:
however long and however often it is looked at, an honest table is expected to give no more false findings of that code
than the rate times the number of its shoes, and a finding's p-value is the smallest rate at which it would have been
raised.
"""
