update sailor set rank = 'first ' || rank where ship = 'Astrid' and rank = 'mate';
