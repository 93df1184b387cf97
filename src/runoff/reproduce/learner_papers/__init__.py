"""Papers about learners, whatever the task."""
