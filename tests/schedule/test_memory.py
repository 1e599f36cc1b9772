"""A long run needs no more memory than a short one."""

from ddcalc.schedule.scheme import asynchronous, k_of_n, sync

WORKERS = 6
SHORT, LONG = 3_000, 20_000
SCHEMES = [asynchronous(), sync(WORKERS), k_of_n(4, "cancel")]
