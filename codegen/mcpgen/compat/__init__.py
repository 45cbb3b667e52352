"""Whether new definitions keep what the old ones promised: a relation between schemas, and rules that name its gaps."""
