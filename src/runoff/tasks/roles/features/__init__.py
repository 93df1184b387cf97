"""Features of candidates for arguments: tables 1 to 6 of Màrquez, Surdeanu, Comas & Turmo (2005), and conjunctions."""
