import sqlite3
db = sqlite3.connect("/app/crew.db")
db.executescript("""
create table schema_version(version integer primary key);
insert into schema_version values (1);
create table sailor(id integer primary key, name text, rank text);
insert into sailor values (1,'Aino','mate'),(2,'Bent','cook'),(3,'Cara','mate'),(4,'Dirk','captain');
""")
