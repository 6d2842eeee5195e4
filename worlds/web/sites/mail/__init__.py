"""Mail and a calendar."""
