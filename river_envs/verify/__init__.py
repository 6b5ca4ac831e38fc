"""What a verifier's run is made of: the workplace, the reward files, the pytest report, and the reasons why a run
says nothing."""
