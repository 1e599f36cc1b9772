"""The parser used where PyYAML was built without libyaml: fifty times slower, same events."""

from __future__ import annotations

from yaml.events import Event, ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from ddcalc.boundary.feed import Feed


class SlowParser(Reader, Scanner, Parser):
    """PyYAML's own parser with the face of the C parser."""

    def __init__(self, stream: Feed) -> None:
        Reader.__init__(self, stream)
        Scanner.__init__(self)
        Parser.__init__(self)

    def get_event(self) -> Event | None:
        """The next event; UnicodeEncodeError for half a surrogate pair, as the C parser."""
        event: Event | None = super().get_event()  # type: ignore[no-untyped-call]
        if isinstance(event, ScalarEvent):
            event.value.encode()
        return event
