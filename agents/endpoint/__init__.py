"""What agents behind an API share: addresses, options, conversations in messages and calls, requests."""
