"""Our environments inside other frameworks, one module each; importing one needs that framework."""
