"""What may touch what: contact points, free boxes, where a robot starts."""
