"""What one or two notebooks draw: boards, cards, diagrams of models, answers of models."""
