"""Controllers: what turns a plan and the sensors into a command for the joints."""
