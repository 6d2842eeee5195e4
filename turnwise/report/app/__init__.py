"""The browser app that shows runs: written as one page by `turnwise report`, served by `turnwise view`."""
