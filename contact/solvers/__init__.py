"""The methods that solve contact problems; `contact.solve` combines them."""
