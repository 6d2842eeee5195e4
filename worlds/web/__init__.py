"""The web: generated sites, two browsers for them, and tasks judged by what they leave in the sites' databases."""
