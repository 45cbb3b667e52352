"""The intermediate representation: types, packages and content templates."""
