"""What a site is made of: schema, pages, tasks, checks and injected instructions."""
