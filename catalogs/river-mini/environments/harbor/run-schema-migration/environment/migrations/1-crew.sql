create table sailor(id integer primary key, name text, rank text);
