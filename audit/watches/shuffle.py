"""shuffle-repeat: a slug of an earlier shoe of the table comes again, as after a false shuffle."""

from collections.abc import Sequence

from audit.watches.evidence import once_in, p_value_of, statistical_finding
from audit.watches.settings import WatchSettings
from audit.watches.slugs import Slug, repeated_slug
from audit.watches.summary import ShoeSummary
from schemas.findings import Finding

TEST = "exact likelihood ratio of a repeated slug against a fair shuffle, union bound over shoes, places and directions"


def shuffle_repeat(earlier: Sequence[ShoeSummary], shoe: ShoeSummary, settings: WatchSettings) -> list[Finding]:
    """At most one finding: the slug of the earlier shoes that came again beyond chance, the strongest one."""
    slug = repeated_slug(earlier, shoe, settings.slug_cards)
    if slug is None:
        return []
    p_value = p_value_of(slug.log_evidence)
    if p_value > settings.shuffle_repeat_rate:
        return []
    past = earlier[slug.earlier]
    dealt = [each for each in past.rounds if each.cards]
    rounds = [dealt[slug.first].round, dealt[slug.last].round]
    here = _rounds_of(shoe, slug)
    order = "reversed" if slug.reverse else "in the same order"
    return [
        statistical_finding(
            "shuffle-repeat",
            shoe,
            about="",
            p_value=p_value,
            test=TEST,
            expected={"repeated_cards": f"fewer than {settings.slug_cards}"},
            actual={
                "repeated_cards": slug.cards,
                "earlier_shoe": past.shoe,
                "earlier_rounds": rounds,
                "rounds": here,
                "cards": [slug.start + 1, slug.end],
                "reversed": slug.reverse,
            },
            message=(
                f"{slug.cards} cards of shoe {past.shoe} (rounds {rounds[0]} to {rounds[1]}) came again {order} in "
                f"rounds {here[0]} to {here[1]} of shoe {shoe.shoe}; a fair shuffle does that {once_in(p_value)}."
            ),
        )
    ]


def _rounds_of(shoe: ShoeSummary, slug: Slug) -> list[int]:
    """The first and the last round of the later shoe that the slug touches."""
    touched = []
    start = 0
    for each in shoe.rounds:
        end = start + len(each.cards)
        if start < slug.end and end > slug.start:
            touched.append(each.round)
        start = end
    return [touched[0], touched[-1]]
