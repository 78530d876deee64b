"""Pictures of screens: marks on them, and boxes that nobody may read painted over."""
