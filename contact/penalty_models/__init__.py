"""Small mechanisms on penalty contacts: closed forms, and laws to compare with."""
