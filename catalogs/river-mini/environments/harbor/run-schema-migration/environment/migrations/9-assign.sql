update sailor set ship = 'Astrid' where rank <> 'captain';
