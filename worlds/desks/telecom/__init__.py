"""The service desk of a mobile operator, and the phones of its customers."""
