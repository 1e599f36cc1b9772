"""ddcalc: distributed-training cost problems, solved exactly and explained step by step."""
