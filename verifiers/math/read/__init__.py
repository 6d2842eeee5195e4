"""From text to trees."""
