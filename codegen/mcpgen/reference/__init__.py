"""Reference of a server for people: a plain model of its definitions, and pages made of it."""
