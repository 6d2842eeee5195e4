"""The ladder: levels that an agent solves half of the time, one ability over all environments, and scales."""
