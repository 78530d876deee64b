"""What the crew knows beyond the screen: help documents, searches, what it did and what people showed it. Source: seed 001."""
