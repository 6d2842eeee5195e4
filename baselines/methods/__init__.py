"""The methods of the trainer: credit, losses, curricula and sampling."""
