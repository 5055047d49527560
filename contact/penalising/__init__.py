"""How `contact.penalty` does it: the law's numbers, contact spaces, the compiled law, results."""
