"""What is told of rounds: their stories straight from lines of events, and what verifying found of them."""

from audit.intake import Intake
from audit.settings import JudgeSettings
from audit.table import TableFacts, assemble, judge_table
from replay.story import Story, Surroundings, tell
from replay.verify import Verified
from schemas.decoding import decode_lines


def tables_of(lines: list[bytes]) -> dict[str, TableFacts]:
    """The tables that these lines are about."""
    intake, decoded = Intake(), decode_lines(lines)
    intake.take(decoded, lambda index: lines[decoded.places[index]])
    return {table: assemble(table, events, places) for table, (events, places) in intake.tables().items()}


def stories_of(lines: list[bytes]) -> list[Story]:
    """The story of every round, judged as `audit` judges it, by table, shoe and round."""
    stories = []
    for table, facts in tables_of(lines).items():
        for verdict in judge_table(facts, JudgeSettings()):
            key = verdict.shoe, verdict.round
            context = facts.surroundings.context(key, frozenset())
            around = Surroundings(
                configuration=None if context.configuration is None else context.configuration.data,
                decks=None if context.loaded is None else context.loaded.data.decks,
                judge="1",
                judged=1_767_268_800_000,
            )
            stories.append(tell(facts.rounds[key], verdict, around, (table, *key)))
    return stories


def kinds(result: Verified) -> list[tuple[str, str]]:
    """What verifying found: of which round, and of which kind."""
    return [(str(each.key), each.kind) for each in result.deviations]
